import { ActionIcon, Indicator } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Notification } from '../api/shapes.ts'
import { endpoints, paths } from '../paths.ts'
import { meQuery } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from '../ui/Icon.tsx'
import { addArrived, notificationsQuery } from './notification-queries.ts'

export function NotificationBell() {
  const texts = useTexts('account').notifications
  const unread = useInfiniteQuery(notificationsQuery).data?.pages[0]?.unreadCount ?? 0
  useNotificationStream()
  return (
    <Indicator
      label={unread > 99 ? '99+' : unread}
      size={17}
      offset={10}
      color="red.8"
      disabled={unread === 0}
      aria-live="polite"
    >
      <ActionIcon
        size={40}
        radius="xl"
        variant="subtle"
        color="gray"
        c="var(--mantine-color-text)"
        aria-label={texts.bell(unread)}
        renderRoot={(props) => <Link to={paths.notifications} {...props} />}
      >
        <Icon name="bell" size={20} />
      </ActionIcon>
    </Indicator>
  )
}

const FIRST_WAIT_MS = 3_000
const MAX_WAIT_MS = 60_000

/** Keeps the notification list live. The browser reconnects a broken stream by itself, but not one that was refused. */
function useNotificationStream(): void {
  const client = useQueryClient()
  useEffect(() => {
    let source: EventSource | undefined
    let waiting: ReturnType<typeof setTimeout> | undefined
    let wait = FIRST_WAIT_MS

    async function reload() {
      const { queryKey } = notificationsQuery
      // A first answer that is under way would count as the new one otherwise, and it may be older.
      await client.cancelQueries({ queryKey })
      await client.invalidateQueries({ queryKey })
    }

    function connect() {
      source = new EventSource(endpoints.notificationStream)
      source.addEventListener('open', () => {
        // The stream continues after the last notification that it brought, which may be none. So the list is loaded again, also
        // the first time: one may have arrived after the list was loaded.
        void reload()
        wait = FIRST_WAIT_MS
      })
      source.addEventListener('notification', (event) => {
        addArrived(client, JSON.parse(String(event.data)) as Notification)
        // An answer that is under way may be older, and would take it out of the list again.
        if (client.isFetching({ queryKey: notificationsQuery.queryKey }) > 0) void reload()
      })
      // Some were marked read: in this tab, in another one, or on another device.
      source.addEventListener('read', () => void reload())
      source.addEventListener('error', () => {
        if (source?.readyState !== EventSource.CLOSED) return
        // The session may have ended: then this query leads to the sign-in page.
        void client.invalidateQueries({ queryKey: meQuery.queryKey })
        waiting = setTimeout(connect, wait)
        wait = Math.min(wait * 2, MAX_WAIT_MS)
      })
    }

    connect()
    return () => {
      clearTimeout(waiting)
      source?.close()
    }
  }, [client])
}
