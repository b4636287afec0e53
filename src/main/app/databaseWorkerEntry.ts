import { answerDatabaseCalls } from '../storage/databaseWorker'

// Entry of the database threads, built as a separate file beside the main script. It stands here because `storage` must not know the
// features whose transactions run in the thread.
answerDatabaseCalls(async () => (await import('./databaseTransactions')).transactions)
