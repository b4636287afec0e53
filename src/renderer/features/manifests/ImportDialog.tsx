import { Box, Button, Checkbox, Flex, Group, Modal, NativeSelect, Stack } from '@mantine/core'
import { useIsMutating, useQueryClient } from '@tanstack/react-query'
import { memo, useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  codeFields,
  type ImportPreview,
  type ManifestDetails,
  type ManifestField,
  manifestFields,
} from '../../../shared/consignments'
import { callMain, queryKey, useBridgeMutation } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ChoiceSelect } from '../../ui/ChoiceSelect'
import { toChoices } from '../../ui/FormField'
import styles from './manifests.module.css'
import { type ImportForm, useOpenManifest } from './openManifestStore'
import { dropFinishedCalls, pageCallOptions, useCallState, useReload, useSetOpenState } from './queries'

/** Maps the columns of a file to the fields, and shows a preview. */
export function ImportDialog({ page: { id: manifestId, summary } }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const form = useOpenManifest((state) => state.importing)
  const { busy, error } = useCallState(manifestId)
  const change = useChangeImport(manifestId)
  const reload = useReload(manifestId)
  const open = useOpenManifest.getStore(useQueryClient())
  const { mutate: take } = useBridgeMutation('takeManifestFile', {
    ...pageCallOptions(manifestId),
    onSuccess: (_answer, { importId }) => {
      // The page may have been left and another file been chosen.
      if (open.getState().importing?.preview.importId === importId) change(null)
      return reload()
    },
  })
  // Includes an import that was started before the screen was left and opened again.
  const isTaking = useIsMutating({ mutationKey: queryKey('takeManifestFile') }) > 0
  const drop = () => {
    // An import can't be cancelled.
    if (isTaking) return
    if (form !== null) void callMain('dropManifestFile', { importId: form.preview.importId })
    change(null)
  }
  const takeImport = ({ preview: { importId }, mapping, decimalMark, replace }: ImportForm) =>
    take({ manifestId, importId, mapping, decimalMark, replace })
  // The thirty fields are rendered in time slices after the dialog opened.
  const ready = useDeferredValue(form !== null, false)
  return (
    <Modal
      opened={form !== null}
      onClose={drop}
      size={1000}
      title={t('manifests.importTitle', { file: form?.preview.fileName ?? '' })}
    >
      {form === null ? null : (
        <>
          <Facts form={form} />
          {ready ? <Mapping form={form} hasLines={summary.lines > 0} manifestId={manifestId} /> : null}
          <div className={styles.dialogActions}>
            {error ? (
              <div className={styles.dialogError}>
                <ErrorCallout error={error} />
              </div>
            ) : null}
            <Button data-autofocus loading={busy} onClick={() => takeImport(form)}>
              {t('manifests.take')}
            </Button>
            <Button variant="default" disabled={isTaking} onClick={drop}>
              {t('common.cancel')}
            </Button>
          </div>
        </>
      )}
    </Modal>
  )
}

/** Changes or drops the import, and clears the errors of earlier calls. */
function useChangeImport(manifestId: string) {
  const client = useQueryClient()
  const setOpen = useSetOpenState(manifestId)
  return (importing: ImportForm | null) => {
    setOpen({ importing })
    dropFinishedCalls(client, manifestId)
  }
}

// Memoised on the form: rendering thirty fields would delay the response to a button.
const Facts = memo(function Facts({ form }: { form: ImportForm }) {
  const { t } = useTranslation()
  const { preview, mapping } = form
  const { notes } = preview
  const countNumbers = (field: ManifestField) => notes.numericCells[mapping[field] ?? -1] ?? 0
  const shortened = codeFields.filter((field) => countNumbers(field) > 0)
  const warnings = [
    ...shortened.map((field) =>
      t('manifests.noteCodes', { count: countNumbers(field), field: t(`lineFields.${field}`) }),
    ),
    notes.cellErrors > 0 ? t('manifests.noteErrors', { count: notes.cellErrors }) : '',
    notes.emptyFormulas > 0 ? t('manifests.noteFormulas', { count: notes.emptyFormulas }) : '',
    notes.mergedCells > 0 ? t('manifests.noteMerged', { count: notes.mergedCells }) : '',
    notes.unevenLines > 0 ? t('manifests.noteUneven', { count: notes.unevenLines }) : '',
  ].filter((text) => text !== '')
  const facts = [
    t('manifests.lines', { count: preview.lines }),
    preview.encoding === null ? '' : t('manifests.encoding', { encoding: preview.encoding }),
  ].filter((text) => text !== '')
  return (
    <Stack gap={8} mb={16}>
      <p>
        {facts.join(', ')}. {preview.remembered ? t('manifests.remembered') : ''}
      </p>
      {warnings.map((text) => (
        <Callout key={text} tone="attention">
          {text}
        </Callout>
      ))}
    </Stack>
  )
})

interface MappingProps {
  form: ImportForm
  hasLines: boolean
  manifestId: string
}

const Mapping = memo(function Mapping({ form, hasLines, manifestId }: MappingProps) {
  const { t } = useTranslation()
  const changeImport = useChangeImport(manifestId)
  const change = (part: Partial<ImportForm>) => changeImport({ ...form, ...part })
  const columns = columnChoices(form.preview, (name, example) => t('manifests.columnOf', { name, example }))
  const choices = [{ value: '', label: t('manifests.notFilled') }, ...columns]
  const setColumn = (field: ManifestField, value: string) => {
    const mapping = { ...form.mapping }
    if (value === '') delete mapping[field]
    else mapping[field] = Number(value)
    change({ mapping })
  }
  return (
    <Flex component="fieldset" direction="column" gap={12}>
      <Box component="legend" p={0} mb={8} fz={17} fw={650}>
        {t('manifests.mapping')}
      </Box>
      <div className={styles.mapping}>
        {manifestFields.map((field) => (
          <ColumnSelect
            key={field}
            field={field}
            choices={choices}
            value={form.mapping[field] === undefined ? '' : String(form.mapping[field])}
            sample={toSample(form.preview, form.mapping[field])}
            onChange={(value) => setColumn(field, value)}
          />
        ))}
      </div>
      <Group align="end" gap="12px 28px">
        <ChoiceSelect
          label={t('manifests.decimalMark')}
          value={form.decimalMark}
          choices={toChoices({
            automatic: t('manifests.markAutomatic'),
            point: t('manifests.markPoint'),
            comma: t('manifests.markComma'),
          })}
          onChange={(decimalMark) => change({ decimalMark })}
        />
        {hasLines ? (
          <Checkbox
            label={t('manifests.replaceLines')}
            checked={form.replace}
            onChange={(event) => change({ replace: event.currentTarget.checked })}
          />
        ) : null}
      </Group>
    </Flex>
  )
})

interface ColumnSelectProps {
  field: ManifestField
  choices: readonly { value: string; label: string }[]
  value: string
  /** Values of the chosen column in the first lines. */
  sample: string
  onChange: (value: string) => void
}

/**
 * The column for a field. Until it gets the pointer or the focus, it renders only the chosen option: all columns as
 * options of 29 selects would delay the dialog.
 */
function ColumnSelect({ field, choices, value, sample, onChange }: ColumnSelectProps) {
  const { t } = useTranslation()
  const [isActivated, setActivated] = useState(false)
  return (
    <NativeSelect
      label={t('manifests.fieldLabel', { name: t(`lineFields.${field}`), field })}
      title={choices.find((choice) => choice.value === value)?.label}
      description={
        // An empty sample keeps its line, so that the fields of a row stay aligned.
        <span className={styles.sample} title={sample === '' ? undefined : sample}>
          {sample === '' ? '\u00a0' : sample}
        </span>
      }
      data={choices.filter((choice) => isActivated || choice.value === value)}
      value={value}
      onPointerEnter={() => setActivated(true)}
      onFocus={() => setActivated(true)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

const sampleLines = 3

function toSample(preview: ImportPreview, column: number | undefined): string {
  if (column === undefined) return ''
  const cells = preview.sample.slice(0, sampleLines).map((line) => line[column] ?? '')
  return cells.filter((cell) => cell !== '').join(' · ')
}

function columnChoices(preview: ImportPreview, words: (name: string, example: string) => string) {
  return preview.header.map((heading, index) => {
    const name = heading === '' ? `#${index + 1}` : heading
    const example = preview.sample[0]?.[index] ?? ''
    return { value: String(index), label: example === '' ? name : words(name, example) }
  })
}
