import { after, before } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'

/** One app for all tests of the suite it is called in. */
export function suiteApp(options: Parameters<typeof startApp>[1]): TestApp {
  const app = {} as TestApp
  const ends: (() => Promise<void>)[] = []
  before(async () => void Object.assign(app, await startApp({ after: (work) => void ends.push(work) }, options)))
  after(async () => {
    for (const end of ends) await end()
  })
  return app
}
