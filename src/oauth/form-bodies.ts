import type { FastifyInstance } from 'fastify'
import { refuseCompressed } from '../http/json-body.ts'
import { readForm, refuseRepeated } from './parameters.ts'

const FORM = 'application/x-www-form-urlencoded'

/** The protocol endpoints read forms and nothing else, and every parameter once. */
export function acceptForms(part: FastifyInstance): void {
  part.removeAllContentTypeParsers()
  readForms(part, (body) => refuseRepeated(readForm(body)))
}

/** Where a repeated parameter is told to the application, the form comes as it was read. */
export function acceptFormsAsRead(part: FastifyInstance): void {
  part.removeAllContentTypeParsers()
  readForms(part, readForm)
}

/** Told through `done`: a promise for what is there at once would cost every request. */
function readForms(part: FastifyInstance, read: (body: Buffer) => unknown): void {
  part.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, body, done) => {
    let form: unknown
    try {
      refuseCompressed(request)
      form = read(body as Buffer)
    } catch (error) {
      return done(error as Error)
    }
    return done(null, form)
  })
}
