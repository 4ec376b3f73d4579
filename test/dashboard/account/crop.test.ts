import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { placeOnCanvas, VIEW, within, type Crop } from '../../../dashboard/src/account/crop.ts'

const LANDSCAPE = { width: 1000, height: 500 }
const SQUARE = { width: 400, height: 400 }

/** Turns -0 into 0, which deepEqual would tell apart. */
function moved(picture: { width: number; height: number }, crop: Crop): Crop {
  const { x, y, zoom } = within(picture, crop)
  return { x: x + 0, y: y + 0, zoom }
}

describe('moving a picture behind the crop window', () => {
  test('leaves a square picture where it is at zoom 1', () => {
    assert.deepEqual(moved(SQUARE, { x: 50, y: -50, zoom: 1 }), { x: 0, y: 0, zoom: 1 })
  })

  test('lets a wide picture move sideways as far as it reaches, and a tall one up and down', () => {
    assert.deepEqual(moved(LANDSCAPE, { x: 1000, y: 1000, zoom: 1 }), { x: VIEW / 2, y: 0, zoom: 1 })
    assert.deepEqual(moved({ width: 500, height: 1000 }, { x: -1000, y: -1000, zoom: 1 }), {
      x: 0,
      y: -VIEW / 2,
      zoom: 1,
    })
  })

  test('keeps a position within the limits, and allows more movement at a higher zoom', () => {
    assert.deepEqual(moved(LANDSCAPE, { x: -20, y: 0, zoom: 1 }), { x: -20, y: 0, zoom: 1 })
    assert.deepEqual(moved(SQUARE, { x: VIEW, y: -VIEW, zoom: 2 }), { x: VIEW / 2, y: -VIEW / 2, zoom: 2 })
  })
})

describe('drawing a picture on the canvas', () => {
  test('puts the middle of the picture in the middle of the canvas', () => {
    assert.deepEqual(placeOnCanvas(LANDSCAPE, { x: 0, y: 0, zoom: 1 }, 512), {
      left: -256,
      top: 0,
      width: 1024,
      height: 512,
    })
  })

  test('moves and enlarges the picture in the canvas’s own pixels', () => {
    assert.deepEqual(placeOnCanvas(SQUARE, { x: VIEW / 2, y: -VIEW / 4, zoom: 2 }, VIEW * 2), {
      left: 0,
      top: -VIEW * 1.5,
      width: VIEW * 4,
      height: VIEW * 4,
    })
  })

  test('never leaves a part of the canvas empty, whatever the shape, the zoom and the drag', () => {
    const side = fc.integer({ min: 1, max: 8000 })
    const drag = fc.integer({ min: -5000, max: 5000 })
    const zoom = fc.double({ min: 1, max: 4, noNaN: true })
    fc.assert(
      fc.property(side, side, drag, drag, zoom, (width, height, x, y, zoomed) => {
        const picture = { width, height }
        const drawn = placeOnCanvas(picture, within(picture, { x, y, zoom: zoomed }), 512)
        const roundingError = 1e-6 * Math.max(drawn.width, drawn.height)
        assert.ok(drawn.left <= roundingError && drawn.top <= roundingError, JSON.stringify(drawn))
        assert.ok(drawn.left + drawn.width >= 512 - roundingError, JSON.stringify(drawn))
        assert.ok(drawn.top + drawn.height >= 512 - roundingError, JSON.stringify(drawn))
        assert.ok(Math.abs(drawn.width / drawn.height - width / height) < 1e-6 * (width / height), 'the shape is kept')
      }),
    )
  })
})
