import { screen, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { CustomsTab } from '../../src/renderer/features/settings/customs/CustomsTab'
import { PrintersTab } from '../../src/renderer/features/settings/printers/PrintersTab'
import { RulesTab } from '../../src/renderer/features/settings/rules/RulesTab'
import { StationTab } from '../../src/renderer/features/settings/StationTab'
import { SettingsForms } from '../../src/renderer/features/settings/tabForm'
import { UpdatesPanel } from '../../src/renderer/features/settings/UpdatesPanel'
import { appError } from '../../src/shared/errors'
import type { PlacementRule } from '../../src/shared/labels'
import { socketPrinterSchema, systemPrinterSchema } from '../../src/shared/printing'
import { err, ok } from '../../src/shared/result'
import type { Settings } from '../../src/shared/settings'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleSettings } from '../support/screenSamples'
import { Leavable, leaveOrReturn } from './leavable'
import { renderApp } from './renderApp'

const tabs = { station: <StationTab />, printers: <PrintersTab />, rules: <RulesTab /> }

async function renderTab(tab: keyof typeof tabs, settings: Settings = sampleSettings()) {
  const fake = createFakeBridge({ settings })
  const change = vi.fn(fake.bridge.changeSettings)
  fake.bridge.changeSettings = change
  const { user, emit } = renderApp(
    <SettingsForms>
      <Leavable>{tabs[tab]}</Leavable>
    </SettingsForms>,
    fake,
  )
  const save = await screen.findByRole('button', { name: 'Save' })
  return { fake, user, emit, change, save }
}

const days = () => screen.getByLabelText<HTMLInputElement>('Keep history (days)')

it('a rule names both carriers whose option id it sets', async () => {
  const carriers = [
    { name: 'PostNL', carrierId: 12, carrierOptionId: 1 },
    { name: 'DHL', carrierId: 13, carrierOptionId: 1 },
    { name: 'DHL', carrierId: 14, carrierOptionId: 1 },
  ]
  const orderRules = [{ name: 'Light', when: {}, set: { carrierOptionId: 1 } }]
  const { user } = await renderTab('rules', sampleSettings({ carriers, orderRules }))
  expect(screen.getByText(/→ PostNL \/ DHL$/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: '1. Light' }))
  const option = await screen.findByLabelText<HTMLSelectElement>('Carrier option')
  expect([...option.options].filter(({ value }) => value === '1').map(({ text }) => text)).toEqual([
    'PostNL / DHL',
  ])
})

it('the printer for documents stays visible after it was removed', async () => {
  const customs = { ...sampleSettings().customs, documentPrinter: 'office' }
  const settings = sampleSettings({ customs })
  renderApp(
    <SettingsForms>
      <CustomsTab settings={settings} />
    </SettingsForms>,
    createFakeBridge({ settings }),
  )
  const printer = await screen.findByLabelText<HTMLSelectElement>('Printer for documents')
  expect(printer.value).toBe('office')
  expect(printer.selectedOptions[0]?.text).toBe('office (no printer of this station)')
})

it('the import folder may not be the hot folder', async () => {
  const hotFolder = { path: '/srv/exchange', print: true }
  const orderImport = { path: '/srv/orders', onDuplicate: 'skip' as const }
  const { user, change, save } = await renderTab('station', sampleSettings({ hotFolder, orderImport }))
  const path = screen.getByLabelText<HTMLInputElement>('Import folder path')
  await user.clear(path)
  await user.type(path, '/srv/exchange')
  await user.click(save)
  expect(await screen.findByText(/^This is the hot folder, or a folder/)).toBeTruthy()
  expect(path.value).toBe('/srv/exchange')
  expect(change).not.toHaveBeenCalled()
  await user.type(path, '/orders')
  await user.click(save)
  expect(await screen.findByText('Saved')).toBeTruthy()
})

describe('saving a tab of the settings', () => {
  it('keeps the input when the settings change meanwhile, until it is saved', async () => {
    const { user, emit, change, save } = await renderTab('station')
    await user.clear(days())
    await user.type(days(), '30')
    emit('settingsChanged', sampleSettings({ retentionDays: 365, language: 'nl' }))
    expect(days().value).toBe('30')
    expect(screen.getByLabelText<HTMLSelectElement>('Language').value).toBe('en')
    await user.click(save)
    expect(await screen.findByText('Saved')).toBeTruthy()
    expect(change).toHaveBeenCalledWith(expect.objectContaining({ retentionDays: 30 }))
  })

  it('saves only what was changed in the tab, and then shows what changed elsewhere meanwhile', async () => {
    const { fake, user, emit, change, save } = await renderTab('station')
    await user.clear(days())
    await user.type(days(), '30')
    fake.state.settings = sampleSettings({ language: 'nl', guardDays: 900 })
    emit('settingsChanged', fake.state.settings)
    await user.click(save)
    expect(await screen.findByText('Saved')).toBeTruthy()
    expect(change.mock.lastCall).toEqual([{ retentionDays: 30 }])
    expect(screen.getByLabelText<HTMLSelectElement>('Language').value).toBe('nl')
  })

  it('shows new settings at once while nothing was typed', async () => {
    const { emit } = await renderTab('station')
    emit('settingsChanged', sampleSettings({ retentionDays: 365 }))
    expect(await screen.findByDisplayValue('365')).toBe(days())
  })

  it('keeps the input when saving fails', async () => {
    const { fake, user, save } = await renderTab('station')
    fake.bridge.changeSettings = () => Promise.resolve(err(appError('settings-not-saved')))
    await user.clear(days())
    await user.type(days(), '30')
    await user.click(save)
    expect(await screen.findByRole('alert')).toBeTruthy()
    expect(days().value).toBe('30')
    expect(screen.getByRole('button', { name: 'Discard changes' })).toBeTruthy()
  })

  it('sends nothing while a field is invalid, moves to it, and restores the saved values on request', async () => {
    const { user, change, save } = await renderTab('station')
    await user.clear(days())
    await user.type(days(), '0')
    await user.click(save)
    expect(change).not.toHaveBeenCalled()
    expect(document.activeElement).toBe(days())
    expect(days().getAttribute('aria-invalid')).toBe('true')
    await user.click(screen.getByRole('button', { name: 'Discard changes' }))
    expect(days().value).toBe('90')
    expect(days().getAttribute('aria-invalid')).not.toBe('true')
  })

  it('keeps a remembered decision that was made again before the tab was saved', async () => {
    const placement = (carrierOptionId: number, turn: 0 | 90): PlacementRule => ({
      carrierOptionId,
      page: { widthMm: 210, heightMm: 297 },
      stock: { widthMm: 105, heightMm: 148 },
      areas: [{ xMm: 0, yMm: 0, widthMm: 105, heightMm: 148 }],
      turn,
      scale: 1,
    })
    const labelRules = { placements: [placement(34, 0)], zplCommands: [], losses: [] }
    const { user, emit, change, save } = await renderTab('printers', sampleSettings({ labelRules }))
    await user.click(screen.getByRole('button', { name: /^Forget/ }))
    const anew = { placements: [placement(51, 0), placement(34, 90)], zplCommands: [], losses: [] }
    emit('settingsChanged', sampleSettings({ labelRules: anew }))
    await user.click(save)
    expect(change).toHaveBeenCalledWith(expect.objectContaining({ labelRules: anew }))
  })
})

describe('rules for printers, of which the first that matches wins', () => {
  it('are reordered with the keyboard, and the focus follows', async () => {
    const routing = [
      { carrierOptionId: 34, printer: 'file' },
      { carrierOptionId: 51, printer: 'zebra' },
      { printer: 'zebra' },
    ]
    const { user, change, save } = await renderTab('printers', sampleSettings({ routing }))
    screen.getByRole('button', { name: 'Move rule 2 up' }).focus()
    await user.keyboard('{Enter}')
    // The rule is the first one now, so its other button gets the focus.
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move rule 1 down' }))
    const first = screen.getByLabelText<HTMLSelectElement>('Labels of, rule 1')
    expect(first.value).toBe('51')
    await user.click(save)
    expect(change.mock.calls[0]?.[0].routing).toEqual([routing[1], routing[0], routing[2]])
  })

  it('are marked when no printer is left that they could name', async () => {
    const { user, change, save } = await renderTab('printers')
    await user.click(screen.getByRole('button', { name: 'Remove Zebra bench 1' }))
    await user.click(screen.getByRole('button', { name: 'Remove file' }))
    await user.click(save)
    const usual = screen.getByLabelText<HTMLSelectElement>('Usual printer')
    expect(document.activeElement).toBe(usual)
    expect(screen.getAllByText('Choose a printer of this station, or add one.')).toHaveLength(3)
    expect(screen.queryByRole('button', { name: 'Add rule for a carrier option' })).toBeNull()
    await user.selectOptions(screen.getByLabelText('Standby for the usual printer'), '')
    await user.click(screen.getByRole('button', { name: 'Remove rule 1' }))
    expect(document.activeElement).toBe(usual)
    await user.selectOptions(usual, '')
    expect(document.activeElement).toBe(usual)
    await user.click(save)
    expect(await screen.findByText('Saved')).toBeTruthy()
    expect(change.mock.calls).toEqual([[{ printers: [], routing: [] }]])
    expect(screen.queryByLabelText('Usual printer')).toBeNull()
  })
})

describe('a network printer’s settings', () => {
  const zebra = socketPrinterSchema.parse({ id: 'zebra', driver: 'socket', host: '192.0.2.10' })
  const onlyZebra = () => sampleSettings({ printers: [zebra], routing: [{ printer: 'zebra' }] })
  const fold = () => screen.getByRole('button', { name: 'Fine tuning' })
  const darkness = () => screen.queryByLabelText<HTMLInputElement>('Darkness (0–30)')
  const fault = 'Darkness (0–30): at most 30.'

  it('unfold the fine tuning, move the focus to an invalid field in it, and keep both while another screen is open', async () => {
    const { user, change, save } = await renderTab('printers', onlyZebra())
    await user.click(fold())
    await user.type(screen.getByLabelText('Darkness (0–30)'), '99')
    await user.click(fold())
    expect(darkness()).toBeNull()
    await user.click(save)
    expect(await screen.findByText(fault)).toBeTruthy()
    expect(document.activeElement).toBe(darkness())
    await leaveOrReturn(user)
    expect(darkness()).toBeNull()
    await leaveOrReturn(user)
    expect(await screen.findByText(fault)).toBeTruthy()
    const field = screen.getByLabelText('Darkness (0–30)')
    await user.clear(field)
    await user.type(field, '12')
    expect(change).not.toHaveBeenCalled()
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('Saved')).toBeTruthy()
    expect(change.mock.calls[0]?.[0].printers).toEqual([{ ...zebra, darkness: 12 }])
  })

  it('omit the settings that the printer’s language does not have', async () => {
    const { user, change, save } = await renderTab('printers', onlyZebra())
    await user.click(fold())
    await user.type(screen.getByLabelText('Darker (−30 to 30)'), '99')
    await user.selectOptions(screen.getByLabelText('Printer language'), 'epl2')
    await user.click(save)
    expect(await screen.findByText('Saved')).toBeTruthy()
    expect(change.mock.calls[0]?.[0].printers).toEqual([{ ...zebra, language: 'epl2' }])
  })

  it('forget the paper of a queue when its label size is typed', async () => {
    const stock = { widthMm: 89, heightMm: 36 }
    const fields = { id: 'dymo', driver: 'system', queue: 'DYMO', paper: '99012 Large Address', stock }
    const queue = systemPrinterSchema.parse(fields)
    const { user, change, save } = await renderTab(
      'printers',
      sampleSettings({ printers: [queue], routing: [] }),
    )
    const width = screen.getByLabelText('Label width (mm)')
    await user.clear(width)
    await user.type(width, '54')
    await user.click(save)
    expect(await screen.findByText('Saved')).toBeTruthy()
    const { paper: _forgotten, ...rest } = queue
    expect(change.mock.calls[0]?.[0].printers).toEqual([{ ...rest, stock: { widthMm: 54, heightMm: 36 } }])
  })

  it('must be saved before a test label can be printed with them', async () => {
    const { user, save } = await renderTab('printers', onlyZebra())
    const tools = () =>
      ['Print a test label', 'Calibrate stock'].map((name) =>
        screen.getByRole<HTMLButtonElement>('button', { name }),
      )
    expect(tools().map(({ disabled }) => disabled)).toEqual([false, false])
    await user.selectOptions(screen.getByLabelText('Printer language'), 'tspl')
    expect(tools().map(({ disabled }) => disabled)).toEqual([true, true])
    expect(tools()[1]?.title).toBe('Save the printer first, then print a test label.')
    await user.click(save)
    expect(await screen.findByText('Saved')).toBeTruthy()
    expect(tools().map(({ disabled }) => disabled)).toEqual([false, false])
  })
})

describe('the fine tuning of a printer', () => {
  it('is grouped by topic', async () => {
    const queue = systemPrinterSchema.parse({ id: 'laser', driver: 'system', queue: 'LASER' })
    const { user } = await renderTab('printers', sampleSettings({ printers: [queue], routing: [] }))
    await user.click(screen.getByRole('button', { name: 'Fine tuning' }))
    const sheet = screen.getByRole('group', { name: 'Sheet of labels' })
    await user.type(within(sheet).getByLabelText('Labels across a sheet'), '3')
    expect(within(sheet).getAllByRole('textbox')).toHaveLength(8)
    expect(screen.getByRole('group', { name: 'Place on the label' })).toBeTruthy()
    expect(screen.getByRole('group', { name: 'How it prints' })).toBeTruthy()
  })

  it('offers the settings of label printers and calibration for a queue with its printer’s language', async () => {
    const queue = systemPrinterSchema.parse({ id: 'usb', driver: 'system', queue: 'ZD421' })
    const { user, change, save } = await renderTab(
      'printers',
      sampleSettings({ printers: [queue], routing: [] }),
    )
    await user.click(screen.getByRole('button', { name: 'Fine tuning' }))
    expect(screen.queryByLabelText('Between labels')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Calibrate stock' })).toBeNull()
    await user.selectOptions(screen.getByLabelText('Printer language'), 'zpl')
    await user.selectOptions(screen.getByLabelText('Between labels'), 'mark')
    await user.selectOptions(screen.getByLabelText('After printing'), 'cutter')
    expect(screen.getByRole('button', { name: 'Calibrate stock' })).toBeTruthy()
    await user.click(save)
    expect(change.mock.calls[0]?.[0].printers).toEqual([
      { ...queue, language: 'zpl', stockTracking: 'mark', printMode: 'cutter' },
    ])
  })
})

it('the number of backups is saved from the field «Copies that are kept»', async () => {
  const { user, change, save } = await renderTab('station')
  const kept = screen.getByLabelText('Copies that are kept')
  await user.clear(kept)
  await user.type(kept, '3')
  await user.click(save)
  await screen.findByText('Saved')
  expect(change).toHaveBeenCalledWith(expect.objectContaining({ backup: { folder: null, keep: 3 } }))
})

it('an update that could not be put in place is reported once', async () => {
  const fake = createFakeBridge()
  const error = appError('update-not-placed', { version: '2.0.0', reason: 'ENOSPC' })
  fake.bridge.getUpdateStatus = async () =>
    ok({
      ...{ version: '1.0.0', way: 'replaces', step: 'ready', progress: 1, hold: null, lookedAt: null, error },
      settings: { url: 'https://updates.example', channel: 'stable' },
      offered: { version: '2.0.0', file: 'https://updates.example/2.0.0.AppImage' },
    })
  const restart = vi.fn(async () => err(error))
  fake.bridge.restartToUpdate = restart
  const { user } = renderApp(<UpdatesPanel />, fake)
  const button = await screen.findByRole('button', { name: 'Restart to update' })
  await user.click(button)
  await vi.waitFor(() => expect(restart).toHaveBeenCalled())
  await expect.poll(() => button.dataset.loading).toBeUndefined()
  expect(screen.getAllByText(/could not be put in place/)).toHaveLength(1)
})
