import { Type } from 'typebox'
import type { Config } from '../config/config.ts'
import { failures, type Routes } from './contracts.ts'
import { requestErrors } from './request-errors.ts'

const tags = ['Discovery']
const DAY_MS = 24 * 3600_000
/** RFC 9116 asks for less than a year. The contact is read from the configuration each time, so it is never out of date. */
const CONTACT_DAYS = 90

interface WellKnownServices {
  config: Pick<Config, 'baseUrl' | 'dashboardOrigin' | 'securityContact'>
  now: () => number
}

/** Where browsers, password managers and people who have found a weakness look, on every site. */
export const wellKnownRoutes =
  ({ config, now }: WellKnownServices): Routes =>
  async (app) => {
    const { baseUrl, dashboardOrigin, securityContact } = config
    const passkeysPage = `${dashboardOrigin}/account/passkeys`

    app.get(
      '/.well-known/passkey-endpoints',
      {
        schema: {
          tags,
          summary: 'Where passkeys are made and managed',
          description:
            'Passkey Endpoints of the W3C. Password managers read it at the domain of the passkeys (`RP_ID`).',
          response: { 200: Type.Object({ enroll: Type.String(), manage: Type.String() }) },
        },
      },
      async () => ({ enroll: passkeysPage, manage: passkeysPage }),
    )

    app.get(
      '/.well-known/change-password',
      {
        schema: {
          tags,
          summary: 'To the page where the password is changed',
          response: { 302: Type.Null({ description: 'To the dashboard.' }) },
        },
      },
      async (_request, reply) => reply.redirect(`${dashboardOrigin}/account/password`, 302),
    )

    app.get(
      '/.well-known/security.txt',
      {
        schema: {
          tags,
          summary: 'Whom to tell of a weakness',
          description: 'RFC 9116. 404 unless `SECURITY_CONTACT` is set.',
          produces: ['text/plain'],
          response: { 200: Type.String(), ...failures(404) },
        },
      },
      async (_request, reply) => {
        if (securityContact === undefined) throw requestErrors.nothing_here()
        const today = Math.floor(now() / DAY_MS)
        const expires = new Date((today + CONTACT_DAYS) * DAY_MS).toISOString()
        const lines = [
          `Contact: ${securityContact}`,
          `Expires: ${expires}`,
          `Canonical: ${baseUrl}/.well-known/security.txt`,
        ]
        return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
      },
    )
  }
