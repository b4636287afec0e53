import { Button, Checkbox, Group, Modal, NativeSelect, NumberInput, Stack } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Area } from '../../../shared/labels'
import { turnSchema } from '../../../shared/labels'
import type { PlacementQuestion } from '../../../shared/printing'
import { useBridgeMutation, useBridgeQuery, useSettings } from '../../bridge'
import { formatNumber, getDecimalSeparator } from '../../i18n/format'
import { sizeText } from '../../i18n/texts'
import { ErrorCallout } from '../../ui/Callout'
import { useDialog, useDialogs } from '../../ui/dialogs'
import { PictureCanvas } from '../../ui/PictureCanvas'
import { AreaFrames } from './AreaFrames'
import {
  type DraftField,
  getRule,
  getSuggestion,
  listIssues,
  type PlacementDraft,
  type TypedFields,
  toDraft,
  toFields,
  withFields,
} from './placementDraft'
import styles from './queue.module.css'
import { LossWords, SuggestionPictures } from './SuggestionPictures'

/** Asks once which part of a page is the label, and previews the print. */
export function PlacementDialog() {
  const { t } = useTranslation()
  const dialog = useDialog('placement')
  const close = useDialogs((state) => state.close)
  const { jobId = '', page } = dialog ?? {}
  const { data: question, error } = useBridgeQuery(
    'askPlacement',
    { jobId, ...(page !== undefined && { page }) },
    { enabled: dialog !== undefined, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
  )
  const isOpen = dialog !== undefined
  return (
    <Modal
      opened={isOpen && (question !== undefined || error !== null)}
      onClose={close}
      size={1120}
      title={t('placement.title')}
    >
      {isOpen && question ? (
        <Choice key={`${question.jobId} ${question.pageNumber}`} question={question} onClose={close} />
      ) : null}
      {isOpen && error ? <ErrorCallout error={error} /> : null}
    </Modal>
  )
}

function firstDraft({ suggestions: [first], page }: PlacementQuestion): PlacementDraft {
  return first ? toDraft(first) : { areas: [{ xMm: 0, yMm: 0, ...page }], turn: 0, scale: 1 }
}

function Choice({ question, onClose: close }: { question: PlacementQuestion; onClose: () => void }) {
  const { t } = useTranslation()
  const [draft, setDraft] = useState(() => firstDraft(question))
  const [typed, setTyped] = useState<TypedFields>({})
  const { jobId, pageNumber } = question
  const rule = getRule(question, draft)
  const drawn = useBridgeQuery(
    'tryPlacement',
    { jobId, rule, page: pageNumber },
    { placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
  )
  const saving = useBridgeMutation('savePlacement')
  const sending = useBridgeMutation('printPageElsewhere')
  const busy = saving.isPending || sending.isPending
  const error = saving.error ?? sending.error ?? drawn.error
  const preview = drawn.error ? undefined : drawn.data
  const choose = (next: PlacementDraft) => {
    setDraft(next)
    setTyped({})
  }
  const type = (field: DraftField, value: number | string) => {
    const next = { ...typed, [field]: value }
    setTyped(next)
    // The draft takes typed values only once all of them are valid.
    if (Object.keys(listIssues(question, draft, next)).length === 0) setDraft(withFields(draft, next))
  }
  const save = () => saving.mutate({ rule, seen: { jobId, page: pageNumber } }, { onSuccess: close })
  const { page, stock, printerName } = question
  const printed = (preview?.pictures ?? []).map((picture, index) => ({ picture, index }))
  const suggestion = getSuggestion(question, draft)
  const hasIssues = Object.keys(listIssues(question, draft, typed)).length > 0
  const canSave = !busy && !hasIssues && preview !== undefined && preview.problem === null
  return (
    <div className={styles.choice}>
      <p className={styles.wide}>
        {t('placement.explain', {
          page: question.pageNumber,
          pageSize: sizeText(t, page),
          stockSize: sizeText(t, stock),
          printer: printerName,
        })}
      </p>
      {question.suggestions.length > 0 ? (
        <SuggestionPictures
          question={question}
          chosen={suggestion ? question.suggestions.indexOf(suggestion) : -1}
          onChoose={choose}
          onEnter={() => {
            if (canSave) save()
          }}
        />
      ) : null}
      <figure className={styles.sheet}>
        <figcaption>{t('placement.page')}</figcaption>
        {suggestion ? <LossWords suggestion={suggestion} /> : null}
        <AreaFrames
          picture={question.picture}
          page={page}
          areas={draft.areas}
          lost={suggestion ? [...suggestion.cut, ...suggestion.leftOut] : []}
          label={t('placement.page')}
          onMove={(areas) => choose({ ...draft, areas })}
        />
      </figure>
      <DraftFields question={question} draft={draft} typed={typed} choose={choose} type={type} />
      <figure className={styles.sheet}>
        <figcaption>{t('placement.result')}</figcaption>
        {printed.map(({ picture, index }) => (
          <PictureCanvas
            key={index}
            picture={picture}
            label={t('placement.resultNumber', { number: index + 1 })}
            className={styles.result}
          />
        ))}
        <Elsewhere
          question={question}
          busy={busy}
          onPrint={(printerId, remember) =>
            sending.mutate({ jobId, page: pageNumber, printerId, remember }, { onSuccess: close })
          }
        />
      </figure>
      <div className={styles.footer}>
        {preview?.problem ? <ErrorCallout error={preview.problem} /> : null}
        <ErrorCallout error={error} />
        <Group gap={10}>
          <Button loading={busy} disabled={!canSave} onClick={save}>
            {t('placement.save')}
          </Button>
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
        </Group>
      </div>
    </div>
  )
}

interface ElsewhereProps {
  question: PlacementQuestion
  busy: boolean
  onPrint: (printerId: string, remember: boolean) => void
}

/** Prints the page on another printer, e.g. an invoice that comes with the label. */
function Elsewhere({ question: { printerId, page }, busy, onPrint }: ElsewhereProps) {
  const { t } = useTranslation()
  const printers = useSettings()?.printers ?? []
  const others = printers.filter(({ id }) => id !== printerId)
  const [chosen, setChosen] = useState('')
  const [remember, setRemember] = useState(true)
  const other = others.find(({ id }) => id === chosen) ?? others[0]
  if (!other) return null
  return (
    <fieldset className={styles.elsewhere}>
      <legend>{t('placement.elsewhere')}</legend>
      <NativeSelect
        label={t('placement.otherPrinter', { size: sizeText(t, page) })}
        value={other.id}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={others.map(({ id, name }) => ({ value: id, label: name ?? id }))}
      />
      <Checkbox
        label={t('placement.rememberElsewhere')}
        checked={remember}
        onChange={(event) => setRemember(event.currentTarget.checked)}
      />
      <Button variant="default" disabled={busy} onClick={() => onPrint(other.id, remember)}>
        {t('placement.printElsewhere')}
      </Button>
    </fieldset>
  )
}

const areaFields = [
  ['xMm', 'left'],
  ['yMm', 'top'],
  ['widthMm', 'width'],
  ['heightMm', 'height'],
] as const

interface DraftFieldsProps {
  question: PlacementQuestion
  draft: PlacementDraft
  typed: TypedFields
  choose: (draft: PlacementDraft) => void
  type: (field: DraftField, value: number | string) => void
}

function DraftFields(props: DraftFieldsProps) {
  const { question, draft, choose } = props
  const { t } = useTranslation()
  const area = draft.areas.at(-1)
  return (
    <Stack gap={12}>
      <p>
        {t('placement.labels')}: {draft.areas.length}
      </p>
      {area ? <AreaFields {...props} /> : null}
      <Group gap={10}>
        <Button
          variant="default"
          disabled={!area || draft.areas.length >= 24}
          onClick={() => {
            if (area) choose({ ...draft, areas: [...draft.areas, nextArea(area, question)] })
          }}
        >
          {t('placement.add')}
        </Button>
        <Button
          variant="default"
          disabled={draft.areas.length < 2}
          onClick={() => choose({ ...draft, areas: draft.areas.slice(0, -1) })}
        >
          {t('placement.remove')}
        </Button>
      </Group>
    </Stack>
  )
}

/** The last area in numbers, with rotation and scale. */
function AreaFields({ question, draft, typed, choose, type }: DraftFieldsProps) {
  const { t, i18n } = useTranslation()
  const fields = toFields(draft, typed)
  const issues = listIssues(question, draft, typed)
  const toIssue = (field: DraftField) => {
    const range = issues[field]
    if (range === undefined) return undefined
    const [min, max] = [range.min, range.max].map((limit) => formatNumber(limit, i18n.language))
    return t('placement.range', { min, max })
  }
  const decimals = {
    decimalSeparator: getDecimalSeparator(i18n.language),
    // Text that is being typed comes back with a point.
    valueIsNumericString: true,
  }
  return (
    <div className={styles.fieldPairs}>
      {areaFields.map(([key, word]) => (
        <NumberInput
          key={key}
          label={t(`placement.${word}`)}
          value={fields[key]}
          min={key === 'xMm' || key === 'yMm' ? 0 : 5}
          step={1}
          decimalScale={2}
          {...decimals}
          clampBehavior="none"
          error={toIssue(key)}
          onChange={(value) => type(key, value)}
        />
      ))}
      <NativeSelect
        label={t('placement.turn')}
        value={String(draft.turn)}
        onChange={(event) => choose({ ...draft, turn: turnSchema.parse(Number(event.currentTarget.value)) })}
        data={['0', '90', '180', '270'].map((value) => ({ value, label: `${value}°` }))}
      />
      <NumberInput
        label={t('placement.scale')}
        description={t('placement.scaleHint')}
        value={fields.scale}
        min={20}
        max={500}
        step={1}
        decimalScale={1}
        {...decimals}
        clampBehavior="none"
        error={toIssue('scale')}
        onChange={(value) => type('scale', value)}
      />
    </div>
  )
}

/** A copy to the right of the last area, or below it if there is no room. */
function nextArea(area: Area, { page }: PlacementQuestion): Area {
  const right = area.xMm + area.widthMm
  if (right + area.widthMm <= page.widthMm + 1) return { ...area, xMm: right }
  const below = Math.min(area.yMm + area.heightMm, page.heightMm - area.heightMm)
  return { ...area, xMm: 0, yMm: Math.max(0, below) }
}
