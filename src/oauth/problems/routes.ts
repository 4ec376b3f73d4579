import { Type } from 'typebox'
import { needs } from '../../identity/sessions/guards.ts'
import { ErrorValues, Nullable, type Routes, Time, failures } from '../../platform/http/contracts.ts'
import { readClient } from '../clients/client-store.ts'
import { refuseUnknownClient } from '../clients/client.ts'
import type { Provider } from '../provider.ts'
import { listAllProblems, listProblems } from './problem-store.ts'

const fields = {
  at: Time,
  endpoint: Type.String({ description: 'The path of the request.' }),
  error: Type.String(),
  description: Type.String(),
  reason: Type.Optional(Type.String({ description: 'Of the description.' })),
  values: Type.Optional(ErrorValues),
  hint: Type.String({ description: 'What to change.' }),
  details: Type.Object({ sent: Nullable(Type.String()), expected: Nullable(Type.String()) }),
  count: Type.Integer({ description: 'How often it happened; equal ones are one entry.' }),
}
const SignInProblem = Type.Object(fields, { title: 'SignInProblem' })
const SignInProblemOfClient = Type.Object(
  {
    client_id: Type.String({
      description:
        'As it was sent. If no application has it, cut at 64 characters, and of a secret only how it begins.',
    }),
    known: Type.Boolean({ description: 'Whether an application has this client_id.' }),
    ...fields,
  },
  { title: 'SignInProblemOfClient' },
)

/** The sign-in problems of an application: its requests that failed, and why. */
export const problemRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.get(
      '/oauth/clients/refusals',
      {
        onRequest: needs(provider, 'oauth_clients:read'),
        schema: {
          tags: ['OAuth clients'],
          summary: 'Refused requests of all applications',
          description:
            'The last 50 of the last 7 days, newest first, also those with a client_id that no application has (8 of one id at most). Do not trust what was sent.',
          response: { 200: Type.Object({ refusals: Type.Array(SignInProblemOfClient) }), ...failures(401, 403) },
        },
      },
      async () => {
        const { db, now, problems } = provider
        await problems.flush()
        return { refusals: await listAllProblems(db.read, now()) }
      },
    )

    app.get(
      '/oauth/clients/:clientId/refusals',
      {
        onRequest: needs(provider, 'oauth_clients:read'),
        schema: {
          tags: ['OAuth clients'],
          summary: 'Refused requests of an application',
          description:
            'The last 50 of the last 7 days, newest first. Anybody can send a request in the name of an application, so do not trust what was sent.',
          params: Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 128 }) }),
          response: { 200: Type.Object({ refusals: Type.Array(SignInProblem) }), ...failures(400, 401, 403, 404) },
        },
      },
      async ({ params: { clientId } }) => {
        const { db, now, problems } = provider
        if (!(await readClient(db.read, clientId))) refuseUnknownClient()
        // What this replica has not written yet is part of the answer.
        await problems.flush()
        return { refusals: await listProblems(db.read, clientId, now()) }
      },
    )
  }
