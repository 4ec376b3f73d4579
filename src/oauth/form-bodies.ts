import type { FastifyInstance } from 'fastify'
import { refuseCompressed } from '../platform/http/request-body.ts'
import { readForm, refuseRepeated } from './parameters.ts'

const FORM = 'application/x-www-form-urlencoded'

/** The protocol endpoints read forms and nothing else, and every parameter once. */
export function acceptForms(part: FastifyInstance): void {
  part.removeAllContentTypeParsers()
  readForms(part, (body) => refuseRepeated(readForm(body)))
}

/** For endpoints that report a repeated parameter to the application by a redirect. */
export function acceptFormsWithRepeats(part: FastifyInstance): void {
  part.removeAllContentTypeParsers()
  readForms(part, readForm)
}

/** Uses the callback `done`, because a promise would cost time at every request. */
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
