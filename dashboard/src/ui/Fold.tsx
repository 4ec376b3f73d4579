import { Box, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Fold.module.css'

type Props = {
  title: string
  /** What is in it, for whoever does not open it. */
  state?: string
  isOpenAtFirst?: boolean
  children: ReactNode
}

/** A part of a form that few people need. `Form` opens it when something in it is wrong. */
export function Fold({ title, state, isOpenAtFirst = false, children }: Props) {
  return (
    <details className={classes.fold} open={isOpenAtFirst}>
      <summary className={classes.summary}>
        <Text span size="sm" fw={550}>
          {title}
        </Text>
        {state && (
          <Text span size="sm" c="dimmed" ms="xs" display="inline-block" style={{ overflowWrap: 'anywhere' }}>
            {state}
          </Text>
        )}
      </summary>
      <Box className={classes.content}>{children}</Box>
    </details>
  )
}
