import { Type } from 'typebox'
import type { Routes } from '../../platform/http/contracts.ts'
import { sendPublicText } from '../../platform/http/headers.ts'
import type { Services } from '../../platform/services.ts'
import { writePublicKeys } from './public-keys.ts'

const tags = ['SSH hosts']
const TEXT_RESPONSES = { 200: Type.String(), 304: Type.Null({ description: 'It has not changed.' }) }

/** The public keys of the two certificate authorities, and how those who trust one of them learn the next. */
export const authorityRoutes =
  (services: Pick<Services, 'config' | 'sshCa' | 'sshHostCa'>): Routes =>
  async (app) => {
    const { sshCa, sshHostCa } = services
    const summary = 'The public key of a certificate authority'
    for (const [path, use, authority] of [
      ['/ssh/ca.pub', 'for `TrustedUserCAKeys`', 'sshCa'],
      ['/ssh/host-ca.pub', 'for `@cert-authority` in `known_hosts`', 'sshHostCa'],
    ] as const) {
      app.get(
        path,
        {
          schema: {
            tags,
            summary,
            description: `One OpenSSH line, ${use}: the key that signs. While the authority is being replaced, \`trusted=all\` gives a line for every key that must be trusted; the one that signs comes first.`,
            produces: ['text/plain'],
            querystring: Type.Object({ trusted: Type.Optional(Type.Literal('all')) }),
            response: TEXT_RESPONSES,
          },
        },
        async (request, reply) => {
          const which = request.query.trusted === 'all' ? 'trusted' : 'current'
          return sendPublicText(request, reply, writePublicKeys(services, authority, which))
        },
      )
    }

    app.get(
      '/ssh/ca-chain',
      {
        schema: {
          tags,
          summary: 'The rotations of the certificate authorities',
          description:
            'For those who trust a key of an authority: how they come to trust the next. A line for each rotation, the oldest first, those of `user` before those of `host`: base64 of the JSON `{ installation, kind: "user" | "host", number, keys }`, a space, and base64 of a signature over the bytes of that JSON. It is an SSHSIG (`ssh-keygen -Y verify`, namespace `latchkey-ca`) by the key that was replaced; `keys` are all that are trusted from then on, as OpenSSH lines. Numbers of one kind grow, but not always by one. Rotations of versions before 0.3 have no line, and no more than the last 200 of each kind are listed.',
          produces: ['text/plain'],
          response: TEXT_RESPONSES,
        },
      },
      async (request, reply) => {
        const lines = [...sshCa.rotations(), ...sshHostCa.rotations()]
        return sendPublicText(request, reply, lines.map((line) => `${line}\n`).join(''))
      },
    )
  }
