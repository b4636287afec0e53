// A process for passingStartError.test.ts: tests a data folder as often as asked, and prints each error.
import { placesIn, prepareDataFolder } from '../../../src/main/storage/dataFolder'

const [dataFolder = '', count = '0'] = process.argv.slice(2)
for (let test = 0; test < Number(count); test += 1) {
  const error = prepareDataFolder(placesIn(dataFolder))
  if (error !== undefined) process.stdout.write(`${error.message}\n`)
}
