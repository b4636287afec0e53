import type { Texts } from '../en'

export const consignees: Texts['consignees'] = {
  title: 'Ontvangers',
  suggestions: 'Eerdere ontvangers',
  hint: '↓ en Enter nemen er een over. Shift+Delete vergeet de gemarkeerde.',
  setting: 'Ontvangers onthouden en voorstellen bij Verzenden',
  settingHint: 'Ze worden even lang bewaard als de historie.',
  count_one: '{{count}} ontvanger is onthouden.',
  count_other: '{{count}} ontvangers zijn onthouden.',
  find: 'Een ontvanger zoeken om te vergeten',
  findHint: 'Naam, bedrijf, adres, e-mail of telefoon',
  forget: 'Vergeten',
  forgetOne: '{{name}} vergeten',
  noneFound: 'Bij deze woorden is geen ontvanger onthouden.',
  forgetAll: 'Alle ontvangers vergeten',
  forgetSure: 'Allemaal vergeten',
  shipAgain: 'Opnieuw verzenden',
  correctAndSend: 'Verbeteren en verzenden',
}
