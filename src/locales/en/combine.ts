/** Several orders in one parcel. */
export const combine = {
  title_one: 'One more order goes to this consignee',
  title_other: '{{count}} more orders go to this consignee',
  text: 'Which of them lie in the parcel of {{reference}}? Scan their numbers, or tick them. Those that are shipped together share one label, and none of them is shipped again. The others stay To ship.',
  hint: 'Space ticks, Ctrl+A ticks all, Enter answers, Esc keeps them apart.',
  weight: '{{weight}} kg',
  noFacts: 'The order says nothing about its goods.',
  together: 'Ship {{count}} orders together',
  all: 'Tick all',
  apart: 'Keep apart',
  combined: 'One parcel together with {{references}}.',
  check: 'Check its weight and packages.',
  splitUp: 'Take them out',
  setting: 'Orders to the same consignee',
  ask: 'Ask about one parcel',
  never: 'Ship each by itself',
}
