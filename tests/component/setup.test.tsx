import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { useStatus } from '../../src/renderer/bridge'
import { SettingsForms } from '../../src/renderer/features/settings/tabForm'
import { SetupScreen } from '../../src/renderer/features/setup/Screen'
import { type SetupStep, useNavigation } from '../../src/renderer/ui/navigation'
import { appError } from '../../src/shared/errors'
import { type PrinterVerdict, printerSchema } from '../../src/shared/printing'
import { err, ok } from '../../src/shared/result'
import type { ShipmentDefaults } from '../../src/shared/shipments'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleSettings, sampleStatus } from '../support/screenSamples'
import { renderApp } from './renderApp'

afterEach(() => window.localStorage.clear())

function At({ step }: { step: SetupStep }) {
  const { setupStep, hasLeftSetup, goToSetup, screen: inFront, draftToShip } = useNavigation((state) => state)
  const { lastName = '', createdBy = '' } = draftToShip?.draft ?? {}
  if (hasLeftSetup) return <p>{`left for ${inFront} ${lastName} ${createdBy}`}</p>
  if (setupStep === null) {
    return (
      <button type="button" onClick={() => goToSetup(step)}>
        Begin
      </button>
    )
  }
  return (
    <SettingsForms>
      <SetupScreen account={sampleStatus().account} />
    </SettingsForms>
  )
}

async function renderStep(
  step: SetupStep,
  fake = createFakeBridge({ settings: sampleSettings({ printers: [], routing: [] }) }),
) {
  const rendered = renderApp(<At step={step} />, fake)
  await rendered.user.click(screen.getByRole('button', { name: 'Begin' }))
  await screen.findAllByRole('heading', { level: 2 })
  return rendered
}

describe('finding printers', () => {
  it('adds a queue of this computer with one click', async () => {
    const { user } = await renderStep('printer')
    await user.click(await screen.findByRole('button', { name: 'Use Label printer' }))
    expect(await screen.findByDisplayValue('Label printer')).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Use Label printer' }).disabled).toBe(true)
  })

  it('sends nothing to the network before a button is pressed, and queries a printer only when it is chosen', async () => {
    const fake = createFakeBridge({ settings: sampleSettings({ printers: [], routing: [] }) })
    const zebra = { host: '192.168.1.20', port: 9100, name: 'Zebra ZT411', isZpl: true }
    fake.bridge.findPrinters = async () => ok({ printers: [zebra], asked: null })
    fake.bridge.identifyPrinter = async () => ok({ model: 'ZT411-300dpi', dpi: 300 })
    const { user } = await renderStep('printer', fake)
    const asked = () =>
      fake.calls.filter(({ method }) => method === 'findPrinters' || method === 'identifyPrinter')
    expect(asked()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Look on this network' }))
    const use = await screen.findByRole('button', { name: 'Use Zebra ZT411' })
    expect(asked()).toEqual([{ method: 'findPrinters', input: { addresses: null } }])
    await user.click(use)
    expect(await screen.findByDisplayValue('192.168.1.20')).toBeTruthy()
    expect(asked().at(-1)).toEqual({ method: 'identifyPrinter', input: { host: '192.168.1.20', port: 9100 } })
  })

  it('adds two printers with different ids when the second is chosen before the first is identified', async () => {
    const fake = createFakeBridge({ settings: sampleSettings({ printers: [], routing: [] }) })
    const printers = ['Zebra 1', 'Zebra 2'].map((name, index) => ({
      ...{ host: `192.168.1.2${index}`, port: 9100, name, isZpl: true },
    }))
    fake.bridge.findPrinters = async () => ok({ printers, asked: null })
    const identifying: (() => void)[] = []
    fake.bridge.identifyPrinter = () => new Promise((resolve) => identifying.push(() => resolve(ok(null))))
    const { user } = await renderStep('printer', fake)
    await user.click(screen.getByRole('button', { name: 'Look on this network' }))
    await user.click(await screen.findByRole('button', { name: 'Use Zebra 1' }))
    await user.click(screen.getByRole('button', { name: 'Use Zebra 2' }))
    for (const identify of identifying) identify()
    await screen.findByDisplayValue('192.168.1.21')
    await user.click(screen.getByRole('button', { name: 'Next: Label size' }))
    await waitFor(() => expect(fake.state.settings.printers).toHaveLength(2))
    const ids = fake.state.settings.printers.map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
  })

  it('searches typed addresses, also with Enter', async () => {
    const { user, fake } = await renderStep('printer')
    await user.type(screen.getByRole('textbox', { name: /Addresses/ }), '192.168.1.20-60{Enter}')
    await screen.findByText(/Nothing at these addresses/)
    expect(fake.calls.at(-1)).toEqual({ method: 'findPrinters', input: { addresses: '192.168.1.20-60' } })
  })
})

describe('the default country', () => {
  const country = () => screen.findByRole<HTMLInputElement>('combobox', { name: 'Country' })
  const defaults = (shipmentDefaults: ShipmentDefaults) =>
    createFakeBridge({ settings: sampleSettings({ carriers: [], shipmentDefaults }) })

  it('is asked for with the carriers, starts with the computer’s country, and is saved with the other defaults', async () => {
    const { user, fake } = await renderStep('carriers', defaults({ weight: 2 }))
    await waitFor(async () => expect((await country()).value).toBe('Netherlands (NL)'))
    await user.click(screen.getByRole('button', { name: 'Next: Printer' }))
    await screen.findByText('Where do labels come out?')
    expect(fake.state.settings.shipmentDefaults).toEqual({ weight: 2, country: 'NL' })
  })

  it('is not offered again to a station that works without one', async () => {
    const fake = createFakeBridge({ settings: sampleSettings({ shipmentDefaults: { weight: 2 } }) })
    const { user } = await renderStep('test', fake)
    await user.click(screen.getByRole('button', { name: 'Back' }))
    await user.click(screen.getByRole('button', { name: 'Back' }))
    expect((await country()).value).toBe('')
    await user.click(screen.getByRole('button', { name: 'Next: Printer' }))
    await screen.findByText('Where do labels come out?')
    expect(fake.state.settings.shipmentDefaults).toEqual({ weight: 2 })
  })

  it('starts with the saved one, may be left empty, and is not saved when the step is skipped', async () => {
    const { user, fake } = await renderStep('carriers', defaults({ country: 'DE' }))
    expect((await country()).value).toBe('Germany (DE)')
    await user.clear(await country())
    await user.click(screen.getByRole('button', { name: 'Skip for now' }))
    expect(fake.state.settings.shipmentDefaults).toEqual({ country: 'DE' })
    await user.click(screen.getByRole('button', { name: 'Back' }))
    await user.clear(await country())
    await user.click(screen.getByRole('button', { name: 'Next: Printer' }))
    await screen.findByText('Where do labels come out?')
    expect(fake.state.settings.shipmentDefaults).toEqual({})
  })
})

it.each([
  ['carriers', 'Next: Printer'],
  ['printer', 'Next: First order'],
] as const)('the step «%s» says why it could not be saved', async (step, next) => {
  const fake = createFakeBridge({ settings: sampleSettings({ printers: [], routing: [] }) })
  fake.bridge.changeSettings = async () => err(appError('pin-required'))
  const { user } = await renderStep(step, fake)
  await user.click(screen.getByRole('button', { name: next }))
  expect(await screen.findByText(/PIN/)).toBeTruthy()
})

const notSaved = 'Nothing was saved: correct the marked fields first.'
const changes = ({ calls }: ReturnType<typeof createFakeBridge>) =>
  calls.filter(({ method }) => method === 'changeSettings')

describe('a step whose fields are not all right', () => {
  it('says so and moves the focus to the first of them', async () => {
    const { user, fake } = await renderStep('carriers')
    await user.click(screen.getByRole('button', { name: 'Add carrier option' }))
    await user.click(screen.getByRole('button', { name: 'Next: Printer' }))
    expect(await screen.findByText(notSaved)).toBeTruthy()
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Name, row 3')
    expect(changes(fake)).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Remove row 3' }))
    expect(screen.queryByText(notSaved)).toBeNull()
  })

  it('shows the rules for the printer that was replaced, until they name another one', async () => {
    const { user, fake } = await renderStep('test', createFakeBridge({ settings: sampleSettings() }))
    await user.click(screen.getByRole('button', { name: 'Back' }))
    const usual = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Usual printer' })
    await user.click(screen.getByRole('button', { name: 'Remove Zebra bench 1' }))
    await user.click(await screen.findByRole('button', { name: 'Use Label printer' }))
    expect(usual().selectedOptions[0]?.text).toBe('zebra (no printer of this station)')
    await user.click(screen.getByRole('button', { name: 'Next: Label size' }))
    expect(await screen.findByText(notSaved)).toBeTruthy()
    expect(document.activeElement).toBe(usual())
    expect(usual().getAttribute('aria-invalid')).toBe('true')
    expect(changes(fake)).toEqual([])
    await user.selectOptions(usual(), 'Label printer')
    await user.click(screen.getByRole('button', { name: 'Next: Label size' }))
    await screen.findByText('Which labels are in the printer?')
    const [, added] = fake.state.settings.printers
    expect(fake.state.settings.routing).toEqual([
      { carrierOptionId: 51, printer: 'file' },
      { printer: added?.id, standby: 'file' },
    ])
  })

  it.each([/^Next/, 'Start shipping', /test label/])(
    'opens again for a field that the step of the label sizes does not show: %s',
    async (button) => {
      const { user, fake } = await renderStep('printer')
      await user.click(await screen.findByRole('button', { name: 'Use Label printer' }))
      await user.click(screen.getByRole('button', { name: 'Add network printer' }))
      await user.click(screen.getByRole('button', { name: 'Skip for now' }))
      await user.click(await screen.findByRole('button', { name: 'Back' }))
      const [pressed] = screen.getAllByRole('button', { name: button })
      if (pressed === undefined) throw new Error('the button is missing')
      await user.click(pressed)
      expect(await screen.findByText('Where do labels come out?')).toBeTruthy()
      expect(screen.getByText(notSaved)).toBeTruthy()
      expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Address' }))
      expect(changes(fake)).toEqual([])
    },
  )

  it('is not said to be wrong for a field that only the step before it shows', async () => {
    const { user } = await renderStep('printer')
    await user.click(await screen.findByRole('button', { name: 'Use Label printer' }))
    await user.click(screen.getByRole('button', { name: 'Add network printer' }))
    await user.click(screen.getByRole('button', { name: 'Next: Label size' }))
    expect(await screen.findByText(notSaved)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Skip for now' }))
    await user.click(await screen.findByRole('button', { name: 'Back' }))
    await screen.findByText('Which labels are in the printer?')
    expect(screen.queryByText(notSaved)).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Back' }))
    expect(await screen.findByText(notSaved)).toBeTruthy()
  })

  it('says so also for a saved printer that nobody touched', async () => {
    const older = printerSchema.parse({ driver: 'socket', id: 'zebra', host: 'bench 1' })
    const settings = sampleSettings({ printers: [older], routing: [] })
    const { user, fake } = await renderStep('test', createFakeBridge({ settings }))
    await user.click(screen.getByRole('button', { name: 'Back' }))
    await user.click(screen.getByRole('button', { name: 'Next: Label size' }))
    expect(await screen.findByText(notSaved)).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Address' }))
    expect(changes(fake)).toEqual([])
  })

  it('stays open for a label size that it shows', async () => {
    const { user, fake } = await renderStep('test', createFakeBridge({ settings: sampleSettings() }))
    await user.selectOptions(screen.getByRole('combobox'), 'custom')
    const width = await screen.findByRole('textbox', { name: /^Label width/ })
    await user.clear(width)
    await user.click(screen.getByRole('button', { name: 'Next: First order' }))
    expect(await screen.findByText(notSaved)).toBeTruthy()
    expect(document.activeElement).toBe(width)
    expect(changes(fake)).toEqual([])
  })
})

it('the printer step asks which printer gets the labels as soon as there are two', async () => {
  const { user } = await renderStep('printer')
  const usual = () => screen.queryByRole('combobox', { name: 'Usual printer' })
  await user.click(await screen.findByRole('button', { name: 'Use Label printer' }))
  expect(usual()).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Add folder' }))
  expect(usual()).toBeTruthy()
})

it('the printer step goes on showing the usual printer while its choice is taken back', async () => {
  const printers = sampleSettings().printers.slice(0, 1)
  const settings = sampleSettings({ printers, routing: [{ printer: 'zebra' }] })
  const { user } = await renderStep('test', createFakeBridge({ settings }))
  await user.click(screen.getByRole('button', { name: 'Back' }))
  const usual = screen.getByRole('combobox', { name: 'Usual printer' })
  await user.selectOptions(usual, '')
  expect(document.activeElement).toBe(usual)
  await user.selectOptions(usual, 'Zebra bench 1')
  expect(document.activeElement).toBe(usual)
})

describe('a test label', () => {
  const withPrinter = () => createFakeBridge({ settings: sampleSettings({ routing: [] }) })

  it('is judged by the operator, and the verdict is kept', async () => {
    const fake = withPrinter()
    let verdicts: PrinterVerdict[] = []
    fake.bridge.listTestVerdicts = async () => ok(verdicts)
    fake.bridge.noteTestVerdict = async ({ printerId, verdict }) => {
      const said = {
        printerId,
        verdict,
        notedAt: '2026-11-22T10:00:00.000Z',
        operator: 'Anna',
        isCurrent: true,
      }
      verdicts = [said]
      return ok(verdicts)
    }
    const { user } = await renderStep('test', fake)
    const [printer] = screen.getAllByRole('region')
    if (printer === undefined) throw new Error('no printer is shown')
    const part = within(printer)
    expect(part.queryByRole('button', { name: 'It came out right' })).toBeNull()
    await user.click(part.getByRole('button', { name: /test label/i }))
    await user.click(await part.findByRole('button', { name: 'Wrong size' }))
    expect(await part.findByText(/came out in the wrong size\. Choose the size of the labels/)).toBeTruthy()
    expect(part.getByText(/Anna/)).toBeTruthy()
    expect(part.queryByRole('button', { name: 'Wrong size' })).toBeNull()
    await user.click(part.getByRole('button', { name: /test label/i }))
    await user.click(await part.findByRole('button', { name: 'It came out right' }))
    expect(await part.findByText(/The test label came out right/)).toBeTruthy()
    expect(document.activeElement?.textContent).toBe('Next: First order')
  })

  it('of which it is not known whether it came out is judged too', async () => {
    const fake = withPrinter()
    const details = { case: 'windows-keeps', printer: 'Zebra' } as const
    fake.bridge.printTestLabel = async () => err(appError('print-unconfirmed', details))
    const { user } = await renderStep('test', fake)
    const [printer] = screen.getAllByRole('region')
    if (printer === undefined) throw new Error('no printer is shown')
    const part = within(printer)
    await user.click(part.getByRole('button', { name: /test label/i }))
    expect(await part.findByText(/may still print it/)).toBeTruthy()
    expect(part.getByRole('button', { name: 'Nothing came' })).toBeTruthy()
  })

  it('is printed with the size chosen beside it', async () => {
    const fake = createFakeBridge({
      settings: sampleSettings({
        routing: [],
        printers: [printerSchema.parse({ driver: 'socket', id: 'zebra', host: '192.0.2.10' })],
      }),
    })
    const { user } = await renderStep('test', fake)
    await user.selectOptions(screen.getByRole('combobox'), 'a6')
    await user.click(screen.getByRole('button', { name: /test label/i }))
    await screen.findByRole('button', { name: 'Nothing came' })
    const done = fake.calls.map(({ method }) => method)
    expect(done.indexOf('changeSettings')).toBeLessThan(done.indexOf('printTestLabel'))
    expect(fake.state.settings.printers[0]).toMatchObject({ stock: { widthMm: 105, heightMm: 148 } })
  })
})

describe('the language', () => {
  it('is asked first, and Enter continues in the current one', async () => {
    const { user, fake } = await renderStep('language')
    expect(document.activeElement?.textContent).toBe('English')
    await user.keyboard('{Enter}')
    expect(await screen.findByLabelText(/Base URL/)).toBeTruthy()
    expect(fake.calls.find(({ method }) => method === 'changeSettings')?.input).toEqual({ language: 'en' })
  })
})

/** The window of a station, which shows set-up until it is left. */
function Station() {
  const account = useStatus((status) => status.account)
  const hasLeft = useNavigation((state) => state.hasLeftSetup)
  if (hasLeft || account === undefined) return <p>{hasLeft ? 'left' : 'loading'}</p>
  return (
    <SettingsForms>
      <SetupScreen account={account} />
    </SettingsForms>
  )
}

describe('set-up that nobody can finish', () => {
  it('is left at its first step, also when the language can’t be saved', async () => {
    const fake = createFakeBridge()
    fake.bridge.changeSettings = async () => err(appError('pin-required'))
    const { user } = await renderStep('language', fake)
    await user.click(screen.getByRole('button', { name: 'English' }))
    await screen.findByText(/PIN/)
    await user.click(screen.getByRole('button', { name: 'Look around first' }))
    expect(await screen.findByText(/^left for/)).toBeTruthy()
  })

  it('ends at its first steps when the station is provisioned meanwhile', async () => {
    const none = { ...sampleStatus().account, state: 'none' as const }
    const settings = sampleSettings({ printers: [], routing: [], carriers: [] })
    const fake = createFakeBridge({ settings, status: sampleStatus({ account: none }) })
    const { emit } = renderApp(<Station />, fake)
    await screen.findByText('Nederlands')
    emit('settingsChanged', sampleSettings())
    emit('appStatusChanged', sampleStatus())
    expect(await screen.findByText('left')).toBeTruthy()
  })

  it('goes on when a person returns to the account after its later steps are done', async () => {
    const none = { ...sampleStatus().account, state: 'none' as const }
    const settings = sampleSettings({ printers: [], routing: [], carriers: [] })
    window.localStorage.setItem('packbench.setup', 'carriers')
    const fake = createFakeBridge({ settings, status: sampleStatus({ account: none }) })
    const { user, emit } = renderApp(<Station />, fake)
    const back = await screen.findByRole('button', { name: 'Back' })
    emit('settingsChanged', sampleSettings())
    emit('appStatusChanged', sampleStatus())
    await user.click(back)
    expect(await screen.findByRole('heading', { name: 'Connect your account' })).toBeTruthy()
    expect(screen.queryByText('left')).toBeNull()
  })

  it.each(['carriers', 'printer'])(
    'does not resume at the step «%s» once everything is there',
    async (step) => {
      window.localStorage.setItem('packbench.setup', step)
      renderApp(<Station />)
      expect(await screen.findByText('left')).toBeTruthy()
    },
  )
})

it('the open step is remembered until set-up is left', async () => {
  const { user } = await renderStep('order')
  expect(window.localStorage.getItem('packbench.setup')).toBe('order')
  await user.click(screen.getByRole('button', { name: 'Start shipping' }))
  await waitFor(() => expect(window.localStorage.getItem('packbench.setup')).toBeNull())
})

it('the last step fills in a sample on Ship, with the defaults of the station, and adds no order to the list', async () => {
  const settings = sampleSettings({ shipmentDefaults: { weight: 1, createdBy: 'station-1' } })
  const { user, fake } = await renderStep('order', createFakeBridge({ settings }))
  await user.click(screen.getByRole('button', { name: 'Fill in the sample' }))
  await screen.findByText('left for ship Jansen station-1')
  const calls = fake.calls.map(({ method }) => method)
  expect(calls).not.toContain('readOrderFile')
  expect(calls).not.toContain('importOrders')
})

it('the last step offers no sample to a station without a carrier option', async () => {
  await renderStep(
    'order',
    createFakeBridge({ settings: sampleSettings({ carriers: [], shipmentDefaults: {} }) }),
  )
  expect(screen.queryByRole('button', { name: 'Fill in the sample' })).toBeNull()
})
