import type { ElectronApplication } from 'playwright'

/**
 * Answers all questions of main from now on with one response.
 * @returns a function that returns the texts of the questions asked so far
 */
export async function answerDialogs(
  app: ElectronApplication,
  response: number,
): Promise<() => Promise<string[]>> {
  await app.evaluate(({ dialog }, answer) => {
    const asked: string[] = []
    Reflect.set(globalThis, 'askedInTests', asked)
    Reflect.set(dialog, 'showMessageBox', async (...given: { detail?: string }[]) => {
      asked.push(given.at(-1)?.detail ?? '')
      return { response: answer, checkboxChecked: false }
    })
  }, response)
  return () => app.evaluate((): string[] => Reflect.get(globalThis, 'askedInTests'))
}
