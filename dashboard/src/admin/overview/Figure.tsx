import { Loader, Paper, Text } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import classes from './Figure.module.css'

type Props = {
  label: string
  /** Null while it is counted. */
  value: number | null
  note?: string | undefined
  /** Where what is counted is listed. False for those who may not see it. */
  link: Pick<LinkProps, 'to' | 'search'> | false
}

/** One number. As a whole it is the link to what it counts. */
export function Figure({ label, value, note, link }: Props) {
  const format = useFormat()
  const { loading } = useTexts('shared')
  const content = (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={620} lh={1.3}>
        {value === null ? <Loader size="sm" type="dots" aria-label={loading} role="status" /> : format.number(value)}
      </Text>
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </>
  )
  return (
    <Paper withBorder className={classes.figure}>
      {link ? (
        <Link {...link} className={classes.link}>
          {content}
        </Link>
      ) : (
        <div className={classes.content}>{content}</div>
      )}
    </Paper>
  )
}
