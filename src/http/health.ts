import { sql } from 'kysely'
import { Type } from 'typebox'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import { failures, type Routes } from './contracts.ts'

const Health = Type.Object({ status: Type.Literal('ok') })

export const healthRoutes =
  ({ db }: Pick<Services, 'db'>): Routes =>
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
        await sql`select 1`.execute(db)
        return { status: 'ok' as const }
      },
    )
  }
