import { screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { readOrderLines, toUnreadableLine } from '../../src/main/hotFolder/orderLines'
import { StatusBar } from '../../src/renderer/app/StatusBar'
import { HotFolderScreen } from '../../src/renderer/features/hotFolder/Screen'
import { PeopleDialogs } from '../../src/renderer/features/people/PeopleDialogs'
import { useNavigation } from '../../src/renderer/ui/navigation'
import { appError } from '../../src/shared/errors'
import type { OrderFileIssue } from '../../src/shared/hotFolder'
import { fileIssue, toIssuesDetail, toOrderFileIssueDetails } from '../../src/shared/inputIssues'
import { err, ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleSettings, sampleStatus } from '../support/screenSamples'
import { Leavable, leaveAndReturn } from './leavable'
import { renderApp } from './renderApp'

const issue: OrderFileIssue = {
  id: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
  kind: 'invalid',
  file: 'two.json',
  line: 2,
  reference: 'ORDER-2',
  error: appError('order-file-invalid', { case: 'fields', line: '2', problem: 'city is required' }),
  at: '2026-11-22T09:00:00.000Z',
  shipmentId: null,
  values: { reference: 'ORDER-2', lastName: 'Jansen', street: 'Dorpsstraat' },
  issues: [{ field: 'city', code: 'required' }],
  leftOut: { plaats: 'Delft' },
  closed: null,
}

function renderIssues(issues: OrderFileIssue[]) {
  const fake = createFakeBridge()
  fake.bridge.listOrderFileIssues = async ({ closed }) =>
    ok({ issues: issues.filter((each) => (each.closed !== null) === closed), total: issues.length })
  return renderApp(<HotFolderScreen />, fake)
}

it('the list of hot folder problems sends a corrected shipment again', async () => {
  const { user, fake } = renderIssues([issue])
  const pane = within(await screen.findByRole('complementary', { name: 'Problem' }))
  expect(pane.getByText(/two\.json, shipment 2/)).toBeTruthy()
  expect(pane.getByText('plaats')).toBeTruthy()
  const city = pane.getByRole('textbox', { name: /^City/ })
  expect(city.getAttribute('aria-invalid')).toBe('true')
  await user.type(city, 'Delft{Enter}')
  expect(fake.calls.find(({ method }) => method === 'sendOrderAgain')?.input).toEqual({
    issueId: issue.id,
    values: { ...issue.values, city: 'Delft' },
  })
})

it('the list of hot folder problems closes a problem only with a note', async () => {
  const { user, fake } = renderIssues([{ ...issue, values: null, line: null }])
  const close = await screen.findByRole<HTMLButtonElement>('button', { name: 'Close this problem' })
  expect(close.disabled).toBe(true)
  await user.type(screen.getByRole('textbox', { name: /What was done/ }), 'Sent by hand')
  await user.click(close)
  expect(fake.calls.find(({ method }) => method === 'closeOrderFileIssue')?.input).toEqual({
    issueId: issue.id,
    note: 'Sent by hand',
  })
})

it('the list of hot folder problems links to History for an unknown outcome, and does not offer to send the order again before it is resolved', async () => {
  const shipmentId = '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0002'
  const { user, client } = renderIssues([{ ...issue, kind: 'unknown', shipmentId, issues: [] }])
  const link = await screen.findByRole('button', { name: 'Resolve in History' })
  expect(screen.queryByRole('button', { name: 'Send again' })).toBeNull()
  await user.click(link)
  // Another station of the fleet may have sent it.
  const { history } = useNavigation.getStore(client).getState()
  expect(history).toMatchObject({ selectedId: shipmentId, stations: 'all' })
})

it('the list of hot folder problems asks for the PIN that an unknown outcome without a shipment needs', async () => {
  const unknown: OrderFileIssue = { ...issue, kind: 'unknown', issues: [], leftOut: {} }
  const fake = createFakeBridge()
  fake.bridge.listOrderFileIssues = async () => ok({ issues: [unknown], total: 1 })
  const { sendOrderAgain, closeOrderFileIssue, enterPin, endGrant } = fake.bridge
  let isGranted = false
  const refused = async () => err(appError('pin-required'))
  fake.bridge.sendOrderAgain = (input) => (isGranted ? sendOrderAgain(input) : refused())
  fake.bridge.closeOrderFileIssue = (input) => (isGranted ? closeOrderFileIssue(input) : refused())
  fake.bridge.enterPin = (input) => {
    isGranted = true
    return enterPin(input)
  }
  const { user } = renderApp(
    <>
      <HotFolderScreen />
      <PeopleDialogs />
    </>,
    fake,
  )
  const counts = () =>
    ['sendOrderAgain', 'closeOrderFileIssue'].map(
      (name) => fake.calls.filter(({ method }) => method === name).length,
    )
  const enter = async () => {
    const prompt = within(await screen.findByRole('dialog', { name: 'Administrator’s PIN' }))
    await user.type(prompt.getByLabelText('PIN'), '4711{Enter}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  }
  const send = await screen.findByRole<HTMLButtonElement>('button', { name: 'Send again' })
  expect(send.disabled).toBe(true)
  await user.click(screen.getByRole('checkbox', { name: /does not exist there/ }))
  await user.click(send)
  await enter()
  await waitFor(() => expect(counts()).toEqual([2, 0]))
  isGranted = false
  await endGrant(undefined)
  await user.type(screen.getByRole('textbox', { name: /What was done/ }), 'It does not exist')
  await user.click(screen.getByRole('button', { name: 'Close this problem' }))
  await enter()
  await waitFor(() => expect(counts()).toEqual([2, 2]))
})

it('the list of hot folder problems moves the selection with the arrow keys', async () => {
  const second = { ...issue, id: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0003', reference: 'ORDER-3' }
  const { user } = renderIssues([issue, second])
  await user.click(await screen.findByRole('button', { name: /^ORDER-2/ }))
  await user.keyboard('{ArrowDown}')
  expect(document.activeElement?.textContent).toContain('ORDER-3')
  expect((await screen.findByRole('complementary')).textContent).toContain('ORDER-3')
})

it('the list of hot folder problems keeps the one that is being corrected when a newer one arrives', async () => {
  const issues = [issue]
  const { user, emit } = renderIssues(issues)
  await user.type(await screen.findByRole('textbox', { name: /^City/ }), 'Delft')
  issues.unshift({ ...issue, id: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0003', reference: 'ORDER-3' })
  emit('orderFileIssuesChanged', { open: 2 })
  expect(await screen.findByRole('button', { name: /^ORDER-3/ })).toBeTruthy()
  expect(screen.getByRole('complementary').textContent).toContain('ORDER-2')
  expect(screen.getByRole('textbox', { name: /^City/ })).toHaveProperty('value', 'Delft')
})

it('corrections of a hot folder problem survive a change of screen and of problem, until they are sent', async () => {
  const second = { ...issue, id: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0003', reference: 'ORDER-3' }
  const fake = createFakeBridge()
  fake.bridge.listOrderFileIssues = async () => ok({ issues: [second, issue], total: 2 })
  const { user } = renderApp(
    <Leavable>
      <HotFolderScreen />
    </Leavable>,
    fake,
  )
  const city = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^City/ })
  await user.click(await screen.findByRole('button', { name: /^ORDER-2/ }))
  await user.type(city(), 'Delft')
  await user.click(screen.getByRole('button', { name: /^ORDER-3/ }))
  expect(city().value).toBe('')
  await user.click(screen.getByRole('button', { name: /^ORDER-2/ }))
  await leaveAndReturn(user)
  expect(city().value).toBe('Delft')
  expect(city().getAttribute('aria-invalid')).not.toBe('true')
  fake.bridge.sendOrderAgain = async () =>
    ok({ issues: [{ field: 'postalCode', code: 'required' }], file: null })
  await user.click(screen.getByRole('button', { name: 'Send again' }))
  const postalCode = () => screen.getByRole('textbox', { name: /^Postal code/ })
  await waitFor(() => expect(postalCode().getAttribute('aria-invalid')).toBe('true'))
  await leaveAndReturn(user)
  expect(city().value).toBe('Delft')
  expect(city().getAttribute('aria-invalid')).not.toBe('true')
  expect(postalCode().getAttribute('aria-invalid')).toBe('true')
  await user.type(postalCode(), '2611')
  expect(postalCode().getAttribute('aria-invalid')).not.toBe('true')
  fake.bridge.sendOrderAgain = async () => ok({ issues: [], file: 'two.line-2.json' })
  await user.click(screen.getByRole('button', { name: 'Send again' }))
  await waitFor(() => expect(city().value).toBe(''))
})

it('the list of hot folder problems names the invalid fields of a shipment in the operator’s language', async () => {
  const issues = toIssuesDetail([
    { field: 'city', name: 'city', code: 'required', detail: '' },
    { field: 'weight', name: 'weight', code: 'above', detail: '0' },
    { field: 'plaats', name: '', code: 'not-known', detail: '' },
  ])
  const problem = 'city is required; weight must be above 0; plaats is not a field that is known here'
  const error = appError('order-file-invalid', { case: 'fields', line: '2', problem, issues })
  expect(error.message).toContain(problem)
  const fake = createFakeBridge({ settings: sampleSettings({ language: 'nl' }) })
  fake.bridge.listOrderFileIssues = async () => ok({ issues: [{ ...issue, error }], total: 1 })
  renderApp(<HotFolderScreen />, fake, 'nl')
  const said = /Plaats is verplicht; Gewicht.* moet groter zijn dan 0; plaats is hier geen bekend veld/
  expect((await screen.findAllByText(said)).length).toBeGreaterThan(0)
})

it('the list of hot folder problems describes the problems of whole files and rows in Dutch', async () => {
  const lines = async (name: string, text: string) => {
    const read = await readOrderLines(name, Buffer.from(text), {}, [])
    return read.ok ? read.value : [toUnreadableLine(name, read.error)]
  }
  const broken = [
    ...(await lines('broken.json', '{ "reference": "A", ')),
    ...(await lines('twice.csv', 'reference;city;city\nA;Delft;Delft\n')),
    ...(await lines('short.csv', 'reference;city\nA\n')),
  ].flatMap(({ draft }) => (draft.ok ? [] : [draft.error]))
  const damaged = appError('order-file-invalid', {
    ...toOrderFileIssueDetails(fileIssue('damaged-xlsx')),
    ...{ case: 'file', file: 'orders.xlsx' },
  })
  const issues = [...broken, damaged].map((error, index) => ({
    ...{ ...issue, error, values: null, reference: null },
    id: `0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c010${index}`,
  }))
  const fake = createFakeBridge()
  fake.bridge.listOrderFileIssues = async () => ok({ issues, total: issues.length })
  renderApp(<HotFolderScreen />, fake, 'nl')
  const list = await screen.findByRole('list', { name: 'Problemen van de lijst' })
  expect(
    within(list)
      .getAllByRole('button')
      .map((row) => row.textContent),
  ).toEqual([
    expect.stringMatching(/regel 1, kolom 21: de tekst houdt te vroeg op; hier hoort een naam/),
    expect.stringMatching(/de kopregel noemt de kolom “city” twee keer/),
    expect.stringMatching(/de rij heeft 1 waarden en de kopregel noemt 2 kolommen/),
    expect.stringMatching(/Van orders.xlsx is niets verzonden: het is beschadigd/),
  ])
})

it('the status bar tells an error of the hot folder from its open problems', async () => {
  const error = appError('hot-folder-linked', { path: '/orders' })
  const hotFolder = { state: 'error' as const, message: error.message, error, waiting: 0, issues: 3 }
  renderApp(<StatusBar status={sampleStatus({ hotFolder })} />, createFakeBridge(), 'nl')
  expect(await screen.findByText('Hot folder: storing · 3 problemen')).toBeDefined()
})
