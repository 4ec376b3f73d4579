import { List, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { EndedByAction } from '../../api/shapes.ts'
import { deviceName } from '../../lib/user-agent.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { previewQuery } from '../users/user-queries.ts'

type Props = { userId: string; later?: boolean; children: ReactNode }

/** Lists what disabling or deleting an account will end: how many, and which. */
export function LifecyclePreview({ userId, later = false, children }: Props) {
  const texts = useTexts('admin').lifecycle
  const mayCount = useMay()('users:lifecycle')
  const { data, error } = useQuery({ ...previewQuery(userId), enabled: mayCount })
  const ends = useEnds(data?.ends)
  if (!mayCount) return <Text size="sm">{children}</Text>
  return (
    <Stack gap={6}>
      <Text size="sm" fw={550}>
        {later ? texts.cutLater : texts.cut}
      </Text>
      <FailureAlert failure={error} />
      {data ? (
        <List size="sm">
          {ends.map(({ count, names }) => (
            <List.Item key={count}>
              {count}
              {names !== '' && (
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {names}
                </Text>
              )}
            </List.Item>
          ))}
          {ends.length === 0 && <List.Item>{texts.nothingEnds}</List.Item>}
        </List>
      ) : (
        !error && <Skeleton h={64} />
      )}
      <Text size="sm" c="dimmed">
        {children}
      </Text>
    </Stack>
  )
}

const MAX_NAMES = 6

/** The server sends names, or only numbers to people who may not see users. */
function useEnds(ends: EndedByAction | undefined): { count: string; names: string }[] {
  const texts = useTexts('admin').lifecycle
  const { unknownDevice } = useTexts('account').sessions
  if (!ends) return []
  const line = (
    count: (count: number) => string,
    ended: number | unknown[],
    names: string[],
  ): { count: string; names: string }[] => {
    const total = Array.isArray(ended) ? ended.length : ended
    const shown = [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['…'] : [])]
    return total > 0 ? [{ count: count(total), names: shown.join(', ') }] : []
  }
  const listed = <Item,>(ended: number | Item[], nameOf: (item: Item) => string) =>
    Array.isArray(ended) ? ended.map(nameOf) : []
  return [
    ...line(
      texts.sessions,
      ends.sessions,
      listed(ends.sessions, ({ userAgent }) => deviceName(userAgent) ?? unknownDevice),
    ),
    ...line(
      texts.tokens,
      ends.apps,
      listed(ends.apps, ({ name }) => name),
    ),
    ...line(
      texts.certificates,
      ends.certificates,
      listed(ends.certificates, ({ serial, principals }) => `№ ${serial} (${principals.join(', ')})`),
    ),
  ]
}
