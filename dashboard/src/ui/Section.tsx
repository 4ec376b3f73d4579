import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Section.module.css'

type Props = { title?: string; description?: ReactNode; actions?: ReactNode; flush?: boolean; children: ReactNode }

/** A card of a page. A flush one lets lists and tables reach its edges. */
export function Section({ title, description, actions, flush = false, children }: Props) {
  return (
    <Paper component="section" withBorder className={classes.section} aria-label={title}>
      {(title || actions) && (
        <Group justify="space-between" align="flex-start" gap="sm" className={classes.head}>
          <Stack gap={2} flex={1} miw={200}>
            {title && <Title order={2}>{title}</Title>}
            {description && (
              <Text size="sm" c="dimmed">
                {description}
              </Text>
            )}
          </Stack>
          {actions}
        </Group>
      )}
      <Box className={flush ? classes.flush : classes.body}>{children}</Box>
    </Paper>
  )
}
