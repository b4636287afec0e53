import type { Texts } from '../en'

export const combine: Texts['combine'] = {
  title_one: 'Er gaat nog een order naar deze ontvanger',
  title_other: 'Er gaan nog {{count}} orders naar deze ontvanger',
  text: 'Welke liggen in het pakket van {{reference}}? Scan hun nummers, of vink ze aan. Wat samen verzonden wordt, deelt één label, en niets daarvan wordt nog eens verzonden. De andere blijven bij Te verzenden.',
  hint: 'Spatie vinkt aan, Ctrl+A vinkt alles aan, Enter antwoordt, Esc houdt ze apart.',
  weight: '{{weight}} kg',
  noFacts: 'De order zegt niets over de goederen.',
  together: '{{count}} orders samen verzenden',
  all: 'Alles aanvinken',
  apart: 'Apart houden',
  combined: 'Eén pakket samen met {{references}}.',
  check: 'Controleer gewicht en colli.',
  splitUp: 'Eruit halen',
  setting: 'Orders naar dezelfde ontvanger',
  ask: 'Eén pakket voorstellen',
  never: 'Elk apart verzenden',
}
