import { infiniteQueryOptions, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import type { Notification, NotificationList } from '../api/shapes.ts'

export const notificationsQuery = infiniteQueryOptions({
  queryKey: ['notifications'],
  queryFn: ({ pageParam }) =>
    answer(
      api.GET('/api/notifications', { params: { query: { limit: 30, ...(pageParam ? { cursor: pageParam } : {}) } } }),
    ),
  initialPageParam: '',
  getNextPageParam: (last) => last.nextCursor ?? undefined,
})

type Pages = InfiniteData<NotificationList>

const change = (client: QueryClient, update: (pages: Pages) => Pages) =>
  client.setQueryData(notificationsQuery.queryKey, (pages) => pages && update(pages))

/** A notification that came over the stream. The stream replays after a break, so one that is known is left alone. */
export function addArrived(client: QueryClient, arrived: Notification): void {
  change(client, (pages) => {
    if (pages.pages.some((page) => page.notifications.some(({ id }) => id === arrived.id))) return pages
    const [first, ...rest] = pages.pages
    if (!first) return pages
    const unreadCount = first.unreadCount + (arrived.read ? 0 : 1)
    return { ...pages, pages: [{ ...first, unreadCount, notifications: [arrived, ...first.notifications] }, ...rest] }
  })
}

/** Shows them as read before the server has confirmed it. If that fails, the next load corrects it. */
export function showAsRead(client: QueryClient, which: (notification: Notification) => boolean): void {
  change(client, (pages) => {
    const marked = pages.pages.flatMap((page) => page.notifications).filter((it) => !it.read && which(it)).length
    return {
      ...pages,
      pages: pages.pages.map((page) => ({
        ...page,
        unreadCount: Math.max(0, page.unreadCount - marked),
        notifications: page.notifications.map((it) =>
          which(it) && !it.read ? { ...it, read: true, readAt: Date.now() } : it,
        ),
      })),
    }
  })
}
