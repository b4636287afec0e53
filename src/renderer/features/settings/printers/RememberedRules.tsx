import { useTranslation } from 'react-i18next'
import type { LabelRules } from '../../../../shared/labels'
import { nameCarrierOptions } from '../../../../shared/settings'
import { useSettings } from '../../../bridge'
import { lossText, placementText, sizeText } from '../../../i18n/texts'
import { Panel } from '../../../ui/Panel'
import { RemoveButton } from '../../../ui/RowButtons'
import { useRowFocus } from '../../../ui/useRowFocus'
import styles from '../settings.module.css'
import { useTab } from '../tabForm'
import { rememberedKey, withoutForgotten } from './form'

const nothing: LabelRules = { placements: [], zplCommands: [], losses: [] }

/** Decisions about labels that operators made once; removing one makes the app ask again. */
export function RememberedRules() {
  const { t } = useTranslation()
  const rules = useSettings((settings) => settings.labelRules) ?? nothing
  const { forgotten } = useTab('printers').form.values
  const lines = useLines(withoutForgotten(rules, forgotten))
  return (
    <Panel title={t('remembered.title')}>
      <p className="pb-soft">{t(lines.length === 0 ? 'remembered.none' : 'remembered.intro')}</p>
      {lines.length === 0 ? null : <Remembered lines={lines} />}
    </Panel>
  )
}

interface Line {
  key: string
  carrier: string
  /** The labels that the rule applies to. */
  subject: string
  done: string
}

/** The rules and consents in words. */
function useLines({ placements, zplCommands, losses }: LabelRules): Line[] {
  const { t } = useTranslation()
  const carriers = nameCarrierOptions(useSettings((settings) => settings.carriers) ?? [])
  const carrier = (id: number) => carriers.get(id) ?? t('remembered.option', { id })
  const printers = useSettings((settings) => settings.printers) ?? []
  const printer = (id: string) => printers.find((each) => each.id === id)?.name ?? id
  return [
    ...placements.map((rule) => ({
      key: rememberedKey(rule),
      carrier: carrier(rule.carrierOptionId),
      subject: t('remembered.pageOnStock', { page: sizeText(t, rule.page), stock: sizeText(t, rule.stock) }),
      done: t('remembered.printed', { parts: placementText(t, rule) }),
    })),
    ...zplCommands.map((consent) => ({
      key: rememberedKey(consent),
      carrier: carrier(consent.carrierOptionId),
      subject: consent.printerId
        ? t('remembered.zplOn', { printer: printer(consent.printerId) })
        : t('remembered.zpl'),
      done: t('remembered.allowed', { commands: consent.commands.join(' ') }),
    })),
    ...losses.map((consent) => ({
      key: rememberedKey(consent),
      carrier: carrier(consent.carrierOptionId),
      subject: t('remembered.lossOn', { printer: printer(consent.printerId) }),
      done: t('remembered.despite', { loss: lossText(t, consent) }),
    })),
  ]
}

function Remembered({ lines }: { lines: Line[] }) {
  const { t } = useTranslation()
  const { form } = useTab('printers')
  const holder = useRowFocus<HTMLTableElement>(lines.map(({ key }) => key))
  const forget = (key: string) => form.insertListItem('forgotten', key)
  return (
    <table ref={holder} className={styles.remembered}>
      <caption className="pb-unseen">{t('remembered.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('fields.carrier')}</th>
          <th scope="col">{t('remembered.subject')}</th>
          <th scope="col">{t('remembered.done')}</th>
          <td className={styles.actionColumn} />
        </tr>
      </thead>
      <tbody>
        {lines.map(({ key, carrier, subject, done }) => (
          <tr key={key} data-row>
            <td>{carrier}</td>
            <td>{subject}</td>
            <td>{done}</td>
            <td className={styles.actionColumn}>
              <RemoveButton
                label={t('remembered.remove', { carrier, subject })}
                onClick={() => forget(key)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
