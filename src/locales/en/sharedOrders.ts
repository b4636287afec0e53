export const sharedOrders = {
  twiceInFleet:
    'Another station brought this reference in at the same time, and its order says something else. Change the reference or skip one of the two.',
  changedElsewhere:
    'Another station changed this order before: what was typed here is not in it. Look at this field, correct it if needed, and save.',
  referenceElsewhere:
    'Another station changed this order before, or was shipping it under this reference: the one that was typed here is not in it. Look at this field, correct it if needed, and save.',
  newerElsewhere:
    'A station with a newer Packbench changed this order, and what it says now can’t be read here. Update Packbench at this station, or ship the order there.',
  holder: 'At {{station}}',
  holderNamed: 'At {{station}} ({{operator}})',
  since: 'since {{time}}',
  inBatch: 'in a batch',
  takenTitle: 'Another station has order {{reference}}',
  takenQuestion: '{{holder}} since {{time}}. Only one of you should pack it.',
  takenBatch: 'It is part of a batch there, which may be shipping it right now.',
  takeOver: 'Take it over',
  leave: 'Leave it there',
}
