import { Type } from 'typebox'
import { failures, type Routes, Success, success } from '../../platform/http/contracts.ts'
import { sourceOf } from '../../platform/http/request-source.ts'
import type { Services } from '../../platform/services.ts'
import { hostOf, needsHost } from '../hosts/authenticate-host.ts'
import type { HostLists } from '../hosts/host-lists.ts'
import { HostReport, REPORT_LIMIT } from './report.ts'
import { takeReport } from './take-report.ts'

const tags = ['SSH hosts']

/** Where enrolled hosts say what they have in force and who is there. */
export const hostReportRoutes =
  (services: Services & { hostLists: HostLists }): Routes =>
  async (app) => {
    app.post(
      '/ssh/hosts/report',
      {
        // The report itself is written, and says that the host was here.
        onRequest: needsHost(services, { writesSeen: false }),
        bodyLimit: REPORT_LIMIT,
        schema: {
          tags,
          summary: 'What a host has in force, and who is there',
          description: 'Sent when it changes, and once a minute. Unknown fields are ignored.',
          security: [{ bearer: [] }],
          body: HostReport,
          response: {
            200: Type.Object({
              ...Success.properties,
              renew: Type.Boolean({ description: 'The host should renew its certificates now.' }),
            }),
            ...failures(400, 401, 413, 503),
          },
        },
      },
      async (request) => {
        const host = { ...hostOf(request), source: sourceOf(services.locate, request) }
        return { ...success, ...(await takeReport(services, host, request.body)) }
      },
    )
  }
