import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Notification } from '../api/shapes.ts'
import { endpoints } from '../paths.ts'
import { meQuery } from '../session/me.ts'
import { addArrived, notificationsQuery } from './notification-queries.ts'

const FIRST_WAIT = 3_000
const LONGEST_WAIT = 60_000

/** Keeps the notification list live. The browser reconnects a broken stream by itself, but gives up on one that was refused. */
export function useNotificationStream(): void {
  const client = useQueryClient()
  useEffect(() => {
    let source: EventSource | undefined
    let waiting: ReturnType<typeof setTimeout> | undefined
    let wait = FIRST_WAIT
    let interrupted = false

    function connect() {
      source = new EventSource(endpoints.notificationStream)
      source.addEventListener('open', () => {
        // The stream replays after the last one it brought. Before the first there is none, so the list is asked for again.
        if (interrupted) void client.invalidateQueries({ queryKey: notificationsQuery.queryKey })
        interrupted = false
        wait = FIRST_WAIT
      })
      source.addEventListener('notification', (event) => {
        addArrived(client, JSON.parse(String(event.data)) as Notification)
      })
      source.addEventListener('error', () => {
        interrupted = true
        if (source?.readyState !== EventSource.CLOSED) return
        // The session may have ended: asking who is signed in leads to the sign-in page if so.
        void client.invalidateQueries({ queryKey: meQuery.queryKey })
        waiting = setTimeout(connect, wait)
        wait = Math.min(wait * 2, LONGEST_WAIT)
      })
    }

    connect()
    return () => {
      clearTimeout(waiting)
      source?.close()
    }
  }, [client])
}
