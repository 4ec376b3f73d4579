import { Alert, Box, Button, Group, Slider, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { cropped, draw, VIEW, within, type Crop } from './crop.ts'

type Props = { file: File; round: boolean; onCropped: (picture: Blob) => void; onClose: () => void }

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-8, 0],
  ArrowRight: [8, 0],
  ArrowUp: [0, -8],
  ArrowDown: [0, 8],
}

export function CropDialog({ file, round, onCropped, onClose }: Props) {
  const texts = useTexts('account').profile
  const shared = useTexts('shared')
  const [picture, setPicture] = useState<ImageBitmap>()
  const [unreadable, setUnreadable] = useState(false)
  const [crop, setCrop] = useState<Crop>({ x: 0, y: 0, zoom: 1 })
  const canvas = useRef<HTMLCanvasElement>(null)

  useEffect(() => {
    let stale = false
    void createImageBitmap(file).then(
      (bitmap) => (stale ? bitmap.close() : setPicture(bitmap)),
      () => setUnreadable(true),
    )
    return () => {
      stale = true
    }
  }, [file])

  useEffect(() => {
    if (picture && canvas.current) draw(canvas.current, picture, crop)
  }, [picture, crop])

  const move = (dx: number, dy: number) =>
    picture && setCrop((before) => within(picture, { ...before, x: before.x + dx, y: before.y + dy }))
  function onPointerMove(event: PointerEvent) {
    if (event.buttons === 1) move(event.movementX, event.movementY)
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = STEPS[event.key]
    if (!step) return
    event.preventDefault()
    move(...step)
  }

  return (
    <Dialog onClose={onClose} title={texts.crop} size={VIEW + 80}>
      <Stack align="center">
        {unreadable && (
          <Alert color="red" role="alert">
            {texts.unreadable}
          </Alert>
        )}
        <Box
          component="canvas"
          ref={canvas}
          width={VIEW * 2}
          height={VIEW * 2}
          w={VIEW}
          h={VIEW}
          tabIndex={0}
          role="application"
          aria-label={texts.cropHint}
          onPointerDown={(event: PointerEvent<HTMLCanvasElement>) =>
            event.currentTarget.setPointerCapture(event.pointerId)
          }
          onPointerMove={onPointerMove}
          onKeyDown={onKeyDown}
          style={{
            borderRadius: round ? '50%' : 'var(--mantine-radius-md)',
            cursor: 'grab',
            touchAction: 'none',
            background: 'var(--latchkey-ground)',
          }}
        />
        <Text size="sm" c="dimmed" ta="center">
          {texts.cropHint}
        </Text>
        <Slider
          w="100%"
          label={null}
          thumbLabel={texts.zoom}
          min={1}
          max={4}
          step={0.05}
          value={crop.zoom}
          onChange={(zoom) => picture && setCrop((before) => within(picture, { ...before, zoom }))}
        />
        <Group justify="flex-end" w="100%">
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button disabled={!picture} onClick={() => picture && void cropped(picture, crop).then(onCropped)}>
            {texts.upload}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
