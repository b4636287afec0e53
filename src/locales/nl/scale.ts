import type { Texts } from '../en'

export const scale: Texts['scale'] = {
  title: 'Weegschaal',
  intro:
    'Een USB-weegschaal vult het gewicht in zodra hij stilstaat. Sluit hem aan, leg er niets op en kies hem. Een gewicht kan altijd getypt worden.',
  choose: 'Weegschaal kiezen',
  forget: 'Geen weegschaal gebruiken',
  none: 'Er wordt geen weegschaal gebruikt.',
  unnamed: 'Weegschaal zonder naam',
  missing: 'niet aangesloten',
  refused:
    'hij kan niet geopend worden. Sluit andere programma’s die hem gebruiken en sluit hem opnieuw aan.',
  silent: 'aangesloten; hij heeft nog niets gemeld',
  stable: '{{weight}} kg',
  moving: 'weegt…',
  zero: 'leeg',
  negative: 'onder nul: haal alles eraf en zet hem op nul',
  overload: 'te zwaar belast: haal het pakket eraf',
  attention: 'hij meldt een storing: zet hem op nul of kalibreer hem',
  unreadable: 'zijn gewicht is niet te lezen: zet hem op kg, g, lb of oz',
  use: '{{weight}} kg overnemen',
  question: 'Op welke weegschaal worden pakketten gewogen?',
  cancel: 'Annuleren',
}
