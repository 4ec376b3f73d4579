import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { atField } from '../../errors.ts'
import { needs } from '../../identity/sessions/guards.ts'
import { failures, NextCursor, PageQuery, type Routes, strict, Time } from '../http/contracts.ts'
import { csvFile } from '../http/csv.ts'
import { decodeCursor } from '../http/cursor.ts'
import { requestErrors } from '../http/request-errors.ts'
import type { Services } from '../services.ts'
import { AuditEntry, Outcome, AUDIT_COLUMNS, jsonLinesFile } from './audit-entry.ts'
import { eachEvent, listEvents, nameTargets } from './list-events.ts'

const Query = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, description: '50 for JSON; all entries for CSV and JSON lines.' }),
    ),
    cursor: PageQuery.cursor,
    action: Type.Optional(
      Type.String({ maxLength: 64, description: 'Such as `user.updated`, or `user.*` for all that begin so.' }),
    ),
    actor: Type.Optional(Type.String({ maxLength: 254, description: 'The id or the email of the actor.' })),
    target: Type.Optional(Type.String({ maxLength: 128, description: 'The id of the target.' })),
    about: Type.Optional(
      Type.String({
        maxLength: 128,
        description: 'An id: entries whose actor or target it is. Not with actor or target.',
      }),
    ),
    outcome: Type.Optional(Outcome),
    from: Type.Optional(Time),
    to: Type.Optional(Time),
    format: Type.Optional(Type.Enum(['json', 'csv', 'jsonl'])),
  },
  strict,
)

export const auditRoutes =
  (services: Services): Routes =>
  async (app) => {
    app.get(
      '/api/admin/audit',
      {
        onRequest: needs(services, 'audit:read'),
        schema: {
          tags: ['Audit'],
          summary: 'The audit trail',
          description:
            'Newest first, as JSON, or as an export that is sent while it is read: CSV with format=csv or Accept: text/csv, one JSON object a line with format=jsonl or Accept: application/jsonl. Planned actions about the caller are left out. In CSV, cells that a spreadsheet would read as a formula start with an apostrophe.',
          querystring: Query,
          response: {
            200: {
              description: 'Entries.',
              content: {
                'application/json': {
                  schema: Type.Object({ events: Type.Array(AuditEntry), nextCursor: NextCursor }),
                },
                'text/csv': { schema: Type.String() },
                'application/jsonl': { schema: Type.String() },
              },
            },
            ...failures(400, 401, 403),
          },
        },
      },
      async (request, reply) => {
        const { limit, cursor, format, ...query } = request.query
        const filter = { ...query, viewerId: request.signedIn.user.id }
        const after = decodeCursor(cursor)
        if (filter.about !== undefined && (filter.actor !== undefined || filter.target !== undefined))
          throw atField('about', requestErrors.about_with_others())
        const chosen = format ?? preferred(request.headers.accept)
        if (chosen !== 'json') {
          const pages = eachEvent(services.db.read, filter, limit ?? Number.POSITIVE_INFINITY, after)
          const rows = Readable.from(await (chosen === 'csv' ? csvFile(AUDIT_COLUMNS, pages) : jsonLinesFile(pages)))
          reply.type(TYPES[chosen]).header('content-disposition', `attachment; filename="audit.${chosen}"`)
          // The contract describes the text; it is sent as it is read.
          return reply.send(rows as unknown as string)
        }
        const { items, nextCursor } = await listEvents(services.db.read, filter, limit ?? 50, after)
        return reply
          .type('application/json; charset=utf-8')
          .send({ events: await nameTargets(services.db.read, items), nextCursor })
      },
    )
  }

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' }

function preferred(accept = ''): 'csv' | 'jsonl' | 'json' {
  if (/\btext\/csv\b/i.test(accept)) return 'csv'
  return /\bapplication\/(jsonl|x-ndjson)\b/i.test(accept) ? 'jsonl' : 'json'
}
