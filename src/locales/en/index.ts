/** All words of the app, in English. Its shape is the pattern for every other language. */
export { errorSentences as errors, mayHaveArrived } from '../../shared/errors'
export {
  fileIssueWords as fileIssues,
  jsonIssueWords as jsonIssues,
  orderFileIssueWords as orderFileIssues,
  recordIssueWords as recordIssues,
} from '../../shared/inputIssues'
export { systemReasons } from '../../shared/systemReasons'
export * from './batch'
export * from './common'
export * from './customs'
export * from './desktop'
export * from './fleet'
export * from './help'
export * from './history'
export * from './hotFolder'
export * from './labels'
export * from './manifests'
export * from './network'
export * from './orders'
export * from './people'
export * from './printerRemarks'
export * from './printing'
export * from './rules'
export * from './scanner'
export * from './settings'
export * from './setup'
export * from './sharedOrders'
export * from './ship'
export * from './tracking'
export * from './updates'
