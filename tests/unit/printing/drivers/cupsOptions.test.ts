import { expect, it } from 'vitest'
import { chooseDarkness, chooseSpeed, parseQueueOptions } from '../../../../src/main/printing/cups/cupsQueue'

it('reads the options of a CUPS queue and their choices', () => {
  expect(
    parseQueueOptions('PageSize/Media Size: *w288h432 Custom.WIDTHxHEIGHT\nDarkness/Darkness: *-1 1 2\n\n'),
  ).toEqual([
    { name: 'PageSize', choices: ['w288h432', 'Custom.WIDTHxHEIGHT'] },
    { name: 'Darkness', choices: ['-1', '1', '2'] },
  ])
})

const centred = ['Default', ...Array.from({ length: 31 }, (_, index) => String(index - 15))]
const words = ['Light', 'Medium', 'Normal', 'Dark']

it.each([
  [['-1', '1', '2', '30'], 30, '30'],
  [['-1', '1', '2', '30'], 0, undefined],
  [centred, 0, '-15'],
  [centred, 30, '15'],
  [words, 0, 'Light'],
  [words, 15, 'Medium'],
  [words, 16, 'Normal'],
  [words, 30, 'Dark'],
  [['on', 'off'], 1, undefined],
])('chooses from %j for a darkness of %i: %s', (choices, darkness, choice) => {
  expect(chooseDarkness(choices, darkness)).toBe(choice)
})

it.each([
  [['Default', '1', '2.5', '3'], 3, '3'],
  [['Default', '1', '2.5', '3'], 2, undefined],
  [['Default', '15', '60', '100', '150', '200'], 4, '100'],
  [['Default', '15', '60', '100', '150', '200'], 3, undefined],
  [['Default'], 3, undefined],
])('chooses from %j for a speed of %i inches per second: %s', (choices, inches, choice) => {
  expect(chooseSpeed(choices, inches)).toBe(choice)
})
