import { Box, Group, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon, type IconName } from './Icon.tsx'
import classes from './Section.module.css'

export const Rows = ({ children, label }: { children: ReactNode; label?: string }) => (
  <ul className={classes.rows} aria-label={label}>
    {children}
  </ul>
)

/** A row begins with an icon or a picture. */
type Lead = { icon: IconName; lead?: never } | { icon?: never; lead: ReactNode }
type Props = Lead & { title: ReactNode; badge?: ReactNode; meta?: ReactNode; actions?: ReactNode }

/** One item of a list: its title, its details, and what can be done with it. */
export function Row({ icon, lead, title, badge, meta, actions }: Props) {
  return (
    <li className={classes.row}>
      {icon ? (
        <Box className={classes.icon}>
          <Icon name={icon} size={20} />
        </Box>
      ) : (
        lead
      )}
      <Box className={classes.what}>
        <Group gap="xs">
          <Text fw={550} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Text>
          {badge}
        </Group>
        {meta && (
          <Text component="div" size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {meta}
          </Text>
        )}
      </Box>
      {actions && <Box className={classes.actions}>{actions}</Box>}
    </li>
  )
}

export function RowsSkeleton({ count = 3 }: { count?: number }) {
  const { loading } = useTexts('shared')
  return (
    <div role="status" aria-label={loading}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={classes.row}>
          <Skeleton h={40} w={40} radius="md" />
          <Box className={classes.what}>
            <Skeleton h={14} w="40%" mb={8} />
            <Skeleton h={12} w="65%" />
          </Box>
        </div>
      ))}
    </div>
  )
}
