import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { ById, failures, NextCursor, PageQuery, type Routes, strict } from '../../platform/http/contracts.ts'
import { decodeCursor } from '../../platform/http/cursor.ts'
import type { Services } from '../../platform/services.ts'
import { emitForUsers } from '../../storage/signals.ts'
import { actorOf } from '../sessions/actor.ts'
import { alsoLesser, signedIn } from '../sessions/guards.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { markAllRead } from './mark-all-read.ts'
import { notificationErrors } from './notification-errors.ts'
import { countUnread, listNotifications, markRead, Notification } from './notification-store.ts'
import type { Streams } from './streams.ts'

const tags = ['Notifications']
const UnreadCount = Type.Integer({ description: 'How many are unread in all.' })
/** TCP keepalive on an idle connection. */
const KEEP_ALIVE_MS = 30_000
const LastSeen = Type.String({ maxLength: 64 })

export const notificationRoutes =
  (services: Services & { streams: Streams }): Routes =>
  async (app) => {
    const { db, now, signals, streams } = services

    app.get(
      '/api/notifications',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags,
          summary: 'List your notifications',
          description: 'Newest first.',
          querystring: Type.Object({ ...PageQuery, unread: Type.Optional(Type.Boolean()) }, strict),
          response: {
            200: Type.Object({
              notifications: Type.Array(Notification),
              unreadCount: UnreadCount,
              nextCursor: NextCursor,
            }),
            ...failures(400, 401),
          },
        },
      },
      async ({ query, signedIn: { user } }) => {
        const { limit = 50, cursor, unread = false } = query
        const page = await listNotifications(db.read, user.id, { limit, after: decodeCursor(cursor), unread })
        return {
          notifications: page.items,
          unreadCount: await countUnread(db.read, user.id),
          nextCursor: page.nextCursor,
        }
      },
    )

    app.get(
      '/api/notifications/stream',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        exposeHeadRoute: false,
        schema: {
          tags,
          summary: 'Stream your notifications',
          description:
            'Server-sent events: `retry: 3000`, then frames with `id`, `event: notification` and the notification as JSON in `data`; a frame with `event: read`, without an id, when some were marked read elsewhere, so that a list that is shown is loaded again; a comment every 25 seconds. Last-Event-ID, or lastEventId for clients that set no headers, replays what came after that notification. It ends with its session.',
          headers: Type.Object({ 'last-event-id': Type.Optional(LastSeen) }),
          querystring: Type.Object({ lastEventId: Type.Optional(LastSeen) }, strict),
          response: {
            200: { description: 'The stream.', content: { 'text/event-stream': { schema: Type.String() } } },
            ...failures(400, 401),
          },
        },
      },
      async (request, reply) => {
        const { user, session } = request.signedIn
        const lastSeenId = request.headers['last-event-id'] ?? request.query.lastEventId
        const { raw } = reply.hijack()
        // The head is sent with the first frame, when it is known where the stream starts: whoever loads the list after that misses
        // nothing.
        for (const [name, value] of Object.entries(reply.getHeaders())) raw.setHeader(name, value ?? '')
        raw.writeHead(200, {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store, no-transform',
          // Proxies that buffer answers would hold the events back.
          'x-accel-buffering': 'no',
        })
        raw.socket?.setKeepAlive(true, KEEP_ALIVE_MS)
        try {
          await streams.open({ userId: user.id, sessionId: session.id }, raw, lastSeenId || undefined)
        } catch (error) {
          // Browsers connect again after a cut, but not after an error.
          request.log.warn({ requestId: request.id, err: error }, 'A notification stream could not be opened.')
          raw.destroy()
        }
      },
    )
    app.addHook('preClose', async () => streams.close())

    app.patch(
      '/api/notifications/:id/read',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags,
          summary: 'Mark a notification read',
          params: ById,
          response: {
            200: Type.Object({ success: Type.Literal(true), notification: Notification, unreadCount: UnreadCount }),
            ...failures(401, 404),
          },
        },
      },
      async (request) => {
        const actor = actorOf(services, request)
        const found = await changeOwnAccount(services, actor, async (trx) => {
          const marked = await markRead(trx, actor.id, request.params.id, now())
          if (marked) await emitForUsers(signals, trx, 'notifications-read', [actor.id])
          return marked
        })
        const notification = found ?? refuse(notificationErrors.no_such_notification())
        return { success: true as const, notification, unreadCount: await countUnread(db.read, actor.id) }
      },
    )

    app.post(
      '/api/notifications/read-all',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags,
          summary: 'Mark all notifications read',
          response: {
            200: Type.Object({ success: Type.Literal(true), unreadCount: UnreadCount }),
            ...failures(401),
          },
        },
      },
      async (request) => {
        const actor = actorOf(services, request)
        await markAllRead(services, actor)
        return { success: true as const, unreadCount: await countUnread(db.read, actor.id) }
      },
    )
  }
