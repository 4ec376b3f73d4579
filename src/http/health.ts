import { Type } from 'typebox'
import { AppError, refuse } from '../errors.ts'
import type { Database } from '../storage/database.ts'
import { ping } from '../storage/ping.ts'
import { failures, type Routes } from './contracts.ts'

const Health = Type.Object({ status: Type.Literal('ok') })

/** A database that takes longer than this counts as away. */
const PATIENCE_MS = 3000

export const healthRoutes =
  ({ db }: { db: Database }): Routes =>
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
      '/readyz',
      { schema: { tags: ['Health'], summary: 'Can it serve requests?', response: { 200: Health, ...failures(503) } } },
      async () => {
        if (closing) refuse('unavailable', 'The service is stopping.', { retryAfter: 2 })
        await within(PATIENCE_MS, ping(db.read))
        return { status: 'ok' as const }
      },
    )
  }

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new AppError('unavailable', 'The database does not answer.', { retryAfter: 2 }))
  }, milliseconds)
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
