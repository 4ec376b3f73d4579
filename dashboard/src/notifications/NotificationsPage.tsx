import { Badge, Button } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { Notification, NotificationType } from '../api/shapes.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { deviceName } from '../lib/user-agent.ts'
import { asText } from '../texts/as-text.ts'
import { findText } from '../texts/find-text.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import type { IconName } from '../ui/Icon.tsx'
import { PersonLink } from '../ui/links.tsx'
import { PagedList } from '../ui/PagedList.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { notificationsQuery, showAsRead } from './notification-queries.ts'
import { isDisownable, NotMeButton } from './NotMeButton.tsx'

type Family = NotificationType extends infer Type ? (Type extends `${infer Name}.${string}` ? Name : never) : never

const icons: Record<Family, IconName> = {
  security: 'shield',
  oauth: 'apps',
  ssh: 'terminal',
  user: 'users',
  lifecycle: 'users',
  mail: 'mail',
  service: 'bell',
  receiver: 'alert',
}

/** The device and the location of a sign-in, so that people can tell whether it was theirs. */
function signInOrigin({ data }: Notification): string[] {
  const location = ['city', 'country', 'ipAddress'].map((name) => asText(data[name], ''))
  return [deviceName(asText(data['userAgent'], '')) ?? '', ...location].filter(Boolean)
}

/** The person whom a notification for administrators is about. */
const personOf = ({ data }: Notification): string | undefined => asText(data['userId'], '') || undefined

export function NotificationsPage() {
  const texts = useTexts('account').notifications
  const client = useQueryClient()
  const query = useInfiniteQuery(notificationsQuery)
  const reload = () => client.invalidateQueries({ queryKey: notificationsQuery.queryKey })
  const [failure, setFailure] = useState<unknown>()
  const readAll = useSubmit(
    () => {
      setFailure(undefined)
      showAsRead(client, () => true)
      return answer(api.POST('/api/notifications/read-all'))
    },
    { reload, onFailure: setFailure },
  )
  const showFailure = (reason: unknown) => {
    setFailure(reason)
    void reload()
  }
  const unread = query.data?.pages[0]?.unreadCount ?? 0
  const textOf = ({ type, data }: Notification) => findText(texts.types, type)?.(data) ?? texts.unknown(type)

  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <Button variant="default" disabled={unread === 0} onClick={() => readAll.run()}>
            {texts.markAll}
          </Button>
        }
      />
      <FailureAlert failure={failure} />
      <PagedList
        query={query}
        itemsOf={({ notifications }) => notifications}
        empty={{ icon: 'bell', title: texts.emptyTitle, text: texts.empty }}
      >
        {(notifications) => (
          <Rows label={texts.title}>
            {notifications.map((notification) => (
              <Row
                key={notification.id}
                icon={findText(icons, notification.type.split('.')[0] ?? '') ?? 'bell'}
                title={<PersonLink id={personOf(notification)}>{textOf(notification)}</PersonLink>}
                badge={
                  <>
                    {!notification.read && (
                      <Badge size="sm" variant="light">
                        {texts.unread}
                      </Badge>
                    )}
                    {notification.undoneAt !== undefined && (
                      <Badge size="sm" variant="light" color="brass">
                        {texts.disowned}
                      </Badge>
                    )}
                  </>
                }
                meta={
                  <>
                    <RelativeTime at={notification.createdAt} />
                    {signInOrigin(notification).map((part) => ` · ${part}`)}
                  </>
                }
                actions={
                  <>
                    {isDisownable(notification) && (
                      <NotMeButton notification={notification} what={textOf(notification)} />
                    )}
                    {!notification.read && <MarkReadButton id={notification.id} onFailure={showFailure} />}
                  </>
                }
              />
            ))}
          </Rows>
        )}
      </PagedList>
    </>
  )
}

/** Each row has its own: the next one can be marked at once. */
function MarkReadButton({ id, onFailure }: { id: string; onFailure: (failure: unknown) => void }) {
  const texts = useTexts('account').notifications
  const client = useQueryClient()
  const read = useSubmit(
    () => {
      showAsRead(client, (notification) => notification.id === id)
      return answer(api.PATCH('/api/notifications/{id}/read', { params: { path: { id } } }))
    },
    { onFailure },
  )
  return (
    <Button size="xs" variant="subtle" onClick={() => read.run()}>
      {texts.markRead}
    </Button>
  )
}
