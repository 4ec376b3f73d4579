import { Type } from 'typebox'
import { isClockWrong } from '../../storage/clock-difference.ts'
import { ping, within, type Database, type Engine } from '../../storage/database.ts'
import { VERSION } from '../config/version.ts'
import { failures, type Routes } from './contracts.ts'
import { healthErrors } from './request-errors.ts'

const Health = Type.Object({ status: Type.Literal('ok') })

const Version = Type.Object({ version: Type.String({ description: 'As in the changelog, such as 1.2.3.' }) })

/** A database that takes longer than this counts as unavailable. */
const PING_TIMEOUT_MS = 3000

export const healthRoutes =
  ({ db, clockDifference }: { db: Database; clockDifference: Engine['clockDifference'] }): Routes =>
  async (app) => {
    let closing = false
    app.addHook('preClose', (done) => {
      closing = true
      done()
    })

    app.get(
      '/healthz',
      { schema: { tags: ['Health'], summary: 'Is the process alive?', response: { 200: Health } } },
      async () => ({ status: 'ok' as const }),
    )

    app.get(
      '/version',
      { schema: { tags: ['Health'], summary: 'Which version is it?', response: { 200: Version } } },
      async () => ({ version: VERSION }),
    )

    app.get(
      '/readyz',
      { schema: { tags: ['Health'], summary: 'Can it serve requests?', response: { 200: Health, ...failures(503) } } },
      async () => {
        if (closing) throw healthErrors.stopping({ retryAfter: 2 })
        const answered = await within(
          PING_TIMEOUT_MS,
          ping(db.read).then(() => true),
        )
        if (!answered) throw healthErrors.database_silent({ retryAfter: 2 })
        if (isClockWrong(clockDifference())) {
          const seconds = Math.round(Math.abs(clockDifference() ?? 0) / 1000)
          throw healthErrors.clocks_differ({ seconds }, { retryAfter: 2 })
        }
        return { status: 'ok' as const }
      },
    )
  }
