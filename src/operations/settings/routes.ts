import multipart from '@fastify/multipart'
import { Type } from 'typebox'
import { hasAdministrator } from '../../identity/roles/administrators.ts'
import { actorOf } from '../../identity/sessions/actor.ts'
import { needs } from '../../identity/sessions/guards.ts'
import { findLogo, LOGO_PATH, readAppearance, readSettings } from '../../identity/users/settings-store.ts'
import { digest } from '../../platform/crypto/digest.ts'
import { failures, Nullable, type Routes, strict, Success, success } from '../../platform/http/contracts.ts'
import { sendTagged } from '../../platform/http/headers.ts'
import { VisibleName } from '../../platform/http/visible-name.ts'
import { readImage, readUpload, UPLOAD_LIMITS } from '../../platform/pictures/read-upload.ts'
import type { Services } from '../../platform/services.ts'
import { changeLogo, changeSettings } from './change-settings.ts'
import { sendTestMail } from './send-test-mail.ts'
import { settingsErrors } from './settings-errors.ts'

const tags = ['Settings']

const fields = {
  name: VisibleName({ maxLength: 64, description: 'Of the service, in mails and in the list of passkeys.' }),
  accentColor: Nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
  registration: Type.Enum(['open', 'invite']),
  freshSignIn: Type.Boolean({
    description:
      'Whether acts that give access or can take over an account need a sign-in, or a proof at `/api/auth/fresh`, within ten minutes (403 fresh_sign_in_needed). They have `x-fresh-sign-in` here; those with `always_fresh` need it whatever the setting.',
  }),
  allowedEmailDomains: Type.Array(
    Type.String({ pattern: '^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9-]{2,63}$' }),
    {
      maxItems: 100,
      uniqueItems: true,
      description:
        'Lower case. While it is not empty, people can register and change their address only with these domains (403 email_domain), and accounts that registered themselves get no code and no certificate before their address is confirmed (403 email_unconfirmed).',
    },
  ),
}

const CurrentSettings = Type.Object({
  settings: Type.Object({ ...fields, name: Type.String(), logoUrl: Nullable(Type.String()) }, { title: 'Settings' }),
  fixed: Type.Array(Type.String(), { description: 'Settings that the environment sets: they can’t be changed here.' }),
})

const Appearance = Type.Object({
  appearance: Type.Object(
    {
      name: Type.String(),
      accentColor: Nullable(Type.String()),
      logoUrl: Nullable(Type.String({ description: 'A path on the origin of the dashboard.' })),
      registration: fields.registration,
      isSetUp: Type.Boolean({ description: 'Whether there is an administrator.' }),
    },
    { title: 'Appearance' },
  ),
})

/** Settings that administrators change while the service runs. */
export const settingsRoutes =
  (services: Services): Routes =>
  async (app) => {
    const { config, db } = services
    await app.register(multipart, { limits: UPLOAD_LIMITS })

    const current = async () => {
      const { logoVersion, ...settings } = await readSettings(db.read, config)
      const logoUrl = logoVersion === null ? null : `${config.baseUrl}${LOGO_PATH}?v=${logoVersion}`
      return { settings: { ...settings, logoUrl }, fixed: config.fixedSettings }
    }

    app.get(
      '/api/admin/settings',
      {
        onRequest: needs(services, 'settings:manage'),
        schema: { tags, summary: 'The settings', response: { 200: CurrentSettings, ...failures(401, 403) } },
      },
      current,
    )

    app.patch(
      '/api/admin/settings',
      {
        onRequest: needs(services, 'settings:manage', 'fresh'),
        schema: {
          tags,
          summary: 'Change settings',
          description: 'In force on every replica at once. What the environment sets can’t be changed: 409.',
          body: Type.Partial(Type.Object(fields), strict),
          response: { 200: CurrentSettings, ...failures(400, 401, 403, 409, 415) },
        },
      },
      async (request) => {
        await changeSettings(services, request.body, actorOf(services, request))
        return current()
      },
    )

    app.put(
      '/api/admin/settings/logo',
      {
        onRequest: needs(services, 'settings:manage', 'fresh'),
        schema: {
          tags,
          summary: 'Set the logo',
          description: 'PNG, JPEG, WebP, GIF or AVIF, at most 5 MB and 40 megapixels, in the part `file`.',
          consumes: ['multipart/form-data'],
          response: { 200: CurrentSettings, ...failures(400, 401, 403, 413, 415, 503) },
        },
      },
      async (request) => {
        const image = await readImage(await readUpload(request))
        await changeLogo(services, image, actorOf(services, request))
        return current()
      },
    )

    app.delete(
      '/api/admin/settings/logo',
      {
        onRequest: needs(services, 'settings:manage', 'fresh'),
        schema: { tags, summary: 'Remove the logo', response: { 200: Success, ...failures(401, 403) } },
      },
      async (request) => {
        await changeLogo(services, undefined, actorOf(services, request))
        return success
      },
    )

    app.get(
      '/api/settings/appearance',
      {
        schema: {
          tags,
          summary: 'How the installation looks',
          description: 'For pages that people see before they have signed in. Needs no session.',
          response: {
            200: Appearance,
            304: Type.Null({ description: 'It has not changed.' }),
            ...failures(503),
          },
        },
      },
      async (request, reply) => {
        const { registration } = await readSettings(db.read, config)
        const isSetUp = await hasAdministrator(db.read)
        const body = JSON.stringify({
          appearance: { ...(await readAppearance(db.read, config)), registration, isSetUp },
        })
        // A moment only: a change is to be seen within a second.
        void reply.type('application/json; charset=utf-8').header('cache-control', 'public, max-age=1')
        return sendTagged(request, reply, `"${digest(body)}"`, body)
      },
    )

    app.get(
      LOGO_PATH,
      {
        schema: {
          tags,
          summary: 'The logo',
          querystring: Type.Object({ v: Type.Optional(Type.String({ maxLength: 64 })) }),
          produces: ['image/webp'],
          response: {
            200: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
            304: Type.Null({ description: 'It has not changed.' }),
            ...failures(404),
          },
        },
      },
      async (request, reply) => {
        const { logoVersion } = await readSettings(db.read, config)
        const image = await findLogo(db.read)
        if (!image || logoVersion === null) throw settingsErrors.no_logo()
        void reply.type('image/webp').header('cache-control', 'public, no-cache')
        return sendTagged(request, reply, `"${logoVersion}"`, image)
      },
    )

    app.post(
      '/api/admin/settings/mail-test',
      {
        onRequest: needs(services, 'settings:manage'),
        schema: {
          tags,
          summary: 'Send yourself a mail',
          description: 'Answers what the mail server said.',
          response: {
            200: Type.Object({ sent: Type.Boolean(), answer: Type.String() }),
            ...failures(401, 403, 429),
          },
        },
      },
      (request) => sendTestMail(services, actorOf(services, request)),
    )
  }
