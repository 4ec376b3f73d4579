import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Notification } from '../api/shapes.ts'
import { endpoints } from '../paths.ts'
import { meQuery } from '../session/me.ts'
import { addArrived, notificationsQuery } from './notification-queries.ts'

const FIRST_WAIT_MS = 3_000
const MAX_WAIT_MS = 60_000

/** Keeps the notification list live. The browser reconnects a broken stream by itself, but not one that was refused. */
export function useNotificationStream(): void {
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
