import type * as en from '../en'

export const updates: typeof en.updates = {
  group: 'Versie en updates',
  version: 'Versie',
  server: 'Updates komen van',
  channel: 'Kanaal {{channel}} op {{url}}',
  off: 'Updates staan uit. Een beheerder noemt een server en een kanaal in het inrichtingsbestand.',
  never: 'Deze versie heeft geen sleutel om updates mee te controleren: ze wordt met de hand bijgewerkt.',
  looked: 'Laatst gekeken',
  notLooked: 'Nog niet',
  look: 'Naar updates kijken',
  upToDate: 'Dit station is bijgewerkt: er is geen nieuwere versie.',
  looking: 'Er wordt naar updates gekeken…',
  downloading: 'Versie {{version}} wordt opgehaald',
  ready: 'Versie {{version}} staat klaar. Ze wordt geplaatst als u opnieuw start, nooit vanzelf.',
  byHand:
    'Versie {{version}} is beschikbaar. Packbench werkt deze installatie niet zelf bij: installeer {{file}}.',
  restart: 'Opnieuw starten en bijwerken',
  hold: {
    shipping: 'Ze wacht: er wordt een zending aangemaakt.',
    printing: 'Ze wacht: er is een label onderweg naar de printer.',
    batch: 'Ze wacht: er loopt een batch met orders.',
    unknown: 'Ze wacht: een uitkomst is onbekend. Handel die eerst af.',
    labels: 'Ze wacht: labels staan in het geheugen tot er ruimte op de schijf is.',
  },
  progress: 'Hoeveel van de update binnen is',
}
