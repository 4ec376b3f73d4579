import { Box, Group, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { useFormat } from '../lib/use-format.ts'
import classes from './BarChart.module.css'

export type Series<Row> = { label: string; color: string; value: (row: Row) => number }
type Props<Row> = { label: string; rows: Row[]; day: (row: Row) => number; series: Series<Row>[] }

const HEIGHT = 160
const GAP = 2

/** Days as stacked bars, and the same numbers in a table for screen readers. */
export function BarChart<Row>({ label, rows, day, series }: Props<Row>) {
  const format = useFormat()
  const [pointed, setPointed] = useState<number>()
  const totals = rows.map((row) => series.reduce((sum, { value }) => sum + value(row), 0))
  const max = Math.max(1, ...totals)
  const shown = pointed === undefined ? undefined : rows[pointed]
  const sumOf = ({ value }: Series<Row>) => (shown ? value(shown) : rows.reduce((sum, row) => sum + value(row), 0))

  return (
    <Box>
      <Group justify="space-between" mb="xs" gap="xs">
        <Group gap="md">
          {series.map((one) => (
            <Group key={one.label} gap={6} wrap="nowrap">
              <Box w={10} h={10} bg={one.color} style={{ borderRadius: 3 }} />
              <Text size="sm">
                {one.label} <b>{format.number(sumOf(one))}</b>
              </Text>
            </Group>
          ))}
        </Group>
        <Text size="sm" c="dimmed" aria-hidden>
          {shown ? format.date(day(shown)) : ''}
        </Text>
      </Group>
      <Text className={classes.scale} size="xs" c="dimmed" aria-hidden>
        {format.number(max)}
      </Text>
      <div className={classes.plot} aria-hidden onPointerLeave={() => setPointed(undefined)}>
        {rows.map((row, index) => (
          <div
            key={day(row)}
            className={classes.day}
            onPointerEnter={() => setPointed(index)}
            data-pointed={pointed === index}
          >
            {series.map((one) => (
              <div
                key={one.label}
                className={classes.bar}
                style={{
                  height: Math.round((one.value(row) / max) * (HEIGHT - GAP * series.length)),
                  background: `var(--mantine-color-${one.color.replace('.', '-')})`,
                }}
              />
            ))}
          </div>
        ))}
      </div>
      <Group justify="space-between" mt={4} aria-hidden>
        <Text size="xs" c="dimmed">
          {rows[0] && format.date(day(rows[0]))}
        </Text>
        <Text size="xs" c="dimmed">
          {rows.length > 0 && format.date(day(rows[rows.length - 1] as Row))}
        </Text>
      </Group>
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <tbody>
            {rows.map((row) => (
              <tr key={day(row)}>
                <th scope="row">{format.date(day(row))}</th>
                {series.map((one) => (
                  <td key={one.label}>{`${one.label}: ${one.value(row)}`}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </Box>
  )
}
