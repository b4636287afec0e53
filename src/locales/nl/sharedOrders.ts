import type * as en from '../en'

export const sharedOrders: typeof en.sharedOrders = {
  twiceInFleet:
    'Een ander station heeft deze referentie tegelijk ingelezen, en in die order staat iets anders. Wijzig de referentie of sla er een van de twee over.',
  changedElsewhere:
    'Een ander station heeft deze order eerder gewijzigd: wat hier getypt is, staat er niet in. Bekijk dit veld, verbeter het zo nodig en sla op.',
  referenceElsewhere:
    'Een ander station heeft deze order eerder gewijzigd, of was hem onder deze referentie aan het verzenden: de referentie die hier getypt is, staat er niet in. Bekijk dit veld, verbeter het zo nodig en sla op.',
  newerElsewhere:
    'Een station met een nieuwere Packbench heeft deze order gewijzigd, en wat er nu in staat is hier niet te lezen. Werk Packbench op dit station bij, of verzend de order daar.',
  holder: 'Bij {{station}}',
  holderNamed: 'Bij {{station}} ({{operator}})',
  since: 'sinds {{time}}',
  inBatch: 'in een batch',
  takenTitle: 'Een ander station heeft order {{reference}}',
  takenQuestion: '{{holder}} sinds {{time}}. Slechts een van u moet hem inpakken.',
  takenBatch: 'Hij hoort daar bij een batch, die hem misschien juist verzendt.',
  takeOver: 'Overnemen',
  leave: 'Daar laten',
}
