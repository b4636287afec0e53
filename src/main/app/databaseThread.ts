import { answerDatabaseCalls } from '../storage/databaseWorker'

// Entry of the database threads, built as a separate file beside the main script.
answerDatabaseCalls(async () => (await import('./databaseTransactions')).transactions)
