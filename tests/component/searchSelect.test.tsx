import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { CarrierSelect, CountrySelect } from '../../src/renderer/ui/SearchSelect'
import { renderApp } from './renderApp'

const carriers = ['PostNL parcel insured', 'PostNL parcel', 'DHL'].map((name, index) => ({
  ...{ name, carrierId: 1 },
  carrierOptionId: index + 1,
}))

function renderSelects() {
  function Selects() {
    const [carrier, setCarrier] = useState('1:3')
    const [country, setCountry] = useState('NL')
    return (
      <>
        <CarrierSelect label="Carrier" carriers={carriers} value={carrier} onChange={setCarrier} />
        <CountrySelect label="Country" value={country} onChange={setCountry} clearable />
        <output>{`${carrier} ${country}`}</output>
      </>
    )
  }
  const { user } = renderApp(<Selects />)
  const chosen = () => screen.getByRole('status').textContent
  /** Types into a select, whose text is selected. */
  const type = async (label: string, text: string) => {
    const field = screen.getByRole<HTMLInputElement>('combobox', { name: label })
    await user.click(field)
    field.select()
    await user.keyboard(text)
  }
  return { type, chosen }
}

it('Enter chooses the carrier option whose whole name is typed, although an earlier one contains it', async () => {
  const { type, chosen } = renderSelects()
  await type('Carrier', 'PostNL parcel{Enter}')
  expect(chosen()).toBe('1:2 NL')
  await type('Carrier', 'postnl parcel{Enter}')
  expect(chosen()).toBe('1:2 NL')
})

it('Enter keeps the chosen option if its text was typed again', async () => {
  const { type, chosen } = renderSelects()
  await type('Carrier', 'DHLx{Backspace}{Enter}')
  await type('Country', 'Netherlands (NL)x{Backspace}{Enter}')
  expect(chosen()).toBe('1:3 NL')
})

it('Enter chooses the option that the arrow keys moved to, also if it is the chosen one', async () => {
  const { type, chosen } = renderSelects()
  await type('Carrier', 'PostNL{ArrowDown}{Enter}')
  expect(chosen()).toBe('1:2 NL')
  await type('Carrier', 'PostNL{ArrowDown}{Enter}')
  expect(chosen()).toBe('1:2 NL')
})

it('Enter chooses nothing after Escape', async () => {
  const { type, chosen } = renderSelects()
  await type('Carrier', 'PostNL{Escape}{Enter}')
  expect(chosen()).toBe('1:3 NL')
})

it('emptying the text of a clearable select removes the choice when the field is left', async () => {
  const { type, chosen } = renderSelects()
  await type('Country', '{Backspace}{Tab}')
  await type('Carrier', '{Backspace}{Tab}')
  expect(chosen()).toBe('1:3 ')
})
