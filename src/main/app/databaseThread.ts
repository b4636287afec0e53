import { answerDatabaseCalls } from '../storage/databaseWorker'

// The entry of the database's threads: built as a file of its own, beside the main program.
answerDatabaseCalls(async () => (await import('./databaseTransactions')).transactions)
