import { ActionIcon, Indicator } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from '../ui/Icon.tsx'
import { notificationsQuery } from './notification-queries.ts'
import { useNotificationStream } from './use-notification-stream.ts'

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
