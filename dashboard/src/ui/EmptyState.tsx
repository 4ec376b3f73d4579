import { Box, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'
import classes from './Section.module.css'

type Props = { icon: IconName; title: string; children?: ReactNode; action?: ReactNode }

/** For an empty list: what would be in it, and how to add something. */
export function EmptyState({ icon, title, children, action }: Props) {
  return (
    <Stack align="center" gap="xs" py={40} px="lg" ta="center">
      <Box className={classes.icon}>
        <Icon name={icon} size={22} />
      </Box>
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" c="dimmed" maw={420}>
          {children}
        </Text>
      )}
      {action && <Box mt="xs">{action}</Box>}
    </Stack>
  )
}
