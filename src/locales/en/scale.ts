/** The scale that parcels are weighed on. */
export const scale = {
  title: 'Scale',
  intro:
    'A USB scale fills the weight in when it is at rest. Connect it, put nothing on it, and choose it. A weight can always be typed.',
  choose: 'Choose a scale',
  forget: 'Use no scale',
  none: 'No scale is used.',
  unnamed: 'Scale without a name',
  missing: 'not connected',
  refused: 'it can’t be opened. Close other programs that use it, then plug it in again.',
  silent: 'connected; it has not said anything yet',
  stable: '{{weight}} kg',
  moving: 'weighing…',
  zero: 'empty',
  negative: 'below zero: take everything off and set it to zero',
  overload: 'overloaded: take the parcel off',
  attention: 'it reports an error: set it to zero, or calibrate it',
  unreadable: 'its weight can’t be read: set it to kg, g, lb or oz',
  use: 'Take {{weight}} kg',
  question: 'Which scale are parcels weighed on?',
  cancel: 'Cancel',
}
