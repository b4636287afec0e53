/**
 * Tells about changes of the station's status at most once per turn of events: a burst of changes becomes one message,
 * made from the status as it is then.
 */
export function createStatusFeed(
  report: () => Promise<void>,
  onFailure: (error: unknown) => void,
): () => void {
  let running = false
  let again = false

  async function run(): Promise<void> {
    running = true
    try {
      do {
        again = false
        await report()
      } while (again)
    } catch (error) {
      onFailure(error)
    } finally {
      running = false
    }
  }

  return () => {
    if (running) again = true
    else void run()
  }
}
