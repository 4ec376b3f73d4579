import { Box, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from './CopyButton.tsx'
import classes from './CodeBlock.module.css'

type Props = { label: string; value: string; actions?: ReactNode; wrap?: boolean }

export function CodeBlock({ label, value, actions, wrap = false }: Props) {
  return (
    <Box className={classes.block}>
      <Group justify="space-between" gap="xs" className={classes.head}>
        <Text size="xs" fw={600} c="dimmed">
          {label}
        </Text>
        <Group gap="xs">
          {actions}
          <CopyButton value={value} label={label} />
        </Group>
      </Group>
      {/* A scrolling region has to be reachable by keyboard (WCAG 2.1.1). */}
      <pre className={classes.code} data-wrap={wrap || undefined} tabIndex={wrap ? undefined : 0} aria-label={label}>
        {value}
      </pre>
    </Box>
  )
}
