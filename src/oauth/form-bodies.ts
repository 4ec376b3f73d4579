import type { FastifyInstance } from 'fastify'
import { readForm, refuseRepeated } from './parameters.ts'

const FORM = 'application/x-www-form-urlencoded'

/** The protocol endpoints read forms and nothing else, and every parameter once. */
export function acceptForms(part: FastifyInstance): void {
  part.removeAllContentTypeParsers()
  part.addContentTypeParser(FORM, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    refuseRepeated(readForm(body)),
  )
}

/** Where a repeated parameter is told to the application, the form comes as it was read. */
export function acceptFormsAsRead(part: FastifyInstance): void {
  part.removeAllContentTypeParsers()
  part.addContentTypeParser(FORM, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => readForm(body))
}
