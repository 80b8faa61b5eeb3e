;; The filter's scan: bounds the cosine of a query with every row of a slab and keeps the rows whose
;; upper bound reaches the threshold. See memory/exact-index/query-code.ts for the bound. The rows are one stream,
;; read once: working on several rows at a time defeats the processor's prefetcher.
;;
;; The memory begins with what the scan leaves, for at most 256 rows: lower bounds (float64) at 0, upper
;; bounds (float64) at 2048, rows (int32) at 4096. The query's levels (int16) are at 5120. The slabs
;; follow: codes (int8), scales (float32), residuals (float32), each for all rows of the slab.
;;
;; After a change: npm run wasm
(module
  (memory (export "memory") 1 65536)
  (global $gain (mut f64) (f64.const 0))
  (global $reach (mut f64) (f64.const 0))
  (global $slack (mut f64) (f64.const 0))

  (func (export "setBound") (param $gain f64) (param $reach f64) (param $slack f64)
    (global.set $gain (local.get $gain))
    (global.set $reach (local.get $reach))
    (global.set $slack (local.get $slack)))

  ;; The integer product of a row's codes and the query's levels, 32 at a time. What is read 8 KiB ahead
  ;; is dropped: it makes the processor fetch the next pages, where its own prefetcher stops.
  (func $product (param $codes i32) (param $end i32) (result f64)
    (local $levels i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $levels (i32.const 5120))
    (loop $next
      (drop (i32.load offset=8192 (local.get $codes)))
      (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s
        (v128.load8x8_s (local.get $codes))
        (v128.load (local.get $levels)))))
      (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=8 (local.get $codes))
        (v128.load offset=16 (local.get $levels)))))
      (local.set $c (i32x4.add (local.get $c) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=16 (local.get $codes))
        (v128.load offset=32 (local.get $levels)))))
      (local.set $d (i32x4.add (local.get $d) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=24 (local.get $codes))
        (v128.load offset=48 (local.get $levels)))))
      (local.set $codes (i32.add (local.get $codes) (i32.const 32)))
      (local.set $levels (i32.add (local.get $levels) (i32.const 64)))
      (br_if $next (i32.lt_u (local.get $codes) (local.get $end))))
    ;; The query's levels are small enough for these four sums in 32 bits; their total needs more.
    (local.set $a (i32x4.add
      (i32x4.add (local.get $a) (local.get $b))
      (i32x4.add (local.get $c) (local.get $d))))
    (f64.convert_i64_s (i64.add
      (i64.add
        (i64.extend_i32_s (i32x4.extract_lane 0 (local.get $a)))
        (i64.extend_i32_s (i32x4.extract_lane 1 (local.get $a))))
      (i64.add
        (i64.extend_i32_s (i32x4.extract_lane 2 (local.get $a)))
        (i64.extend_i32_s (i32x4.extract_lane 3 (local.get $a)))))))

  ;; Scans the first $count rows of a slab; returns how many passed.
  (func (export "scan")
    (param $codes i32) (param $capacity i32) (param $count i32) (param $stride i32)
    (param $threshold f64)
    (result i32)
    (local $scale i32) (local $residual i32) (local $row i32) (local $found i32)
    (local $estimate f64) (local $margin f64)
    (local.set $scale
      (i32.add (local.get $codes) (i32.mul (local.get $capacity) (local.get $stride))))
    (local.set $residual
      (i32.add (local.get $scale) (i32.shl (local.get $capacity) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $row) (local.get $count)))
        (local.set $estimate (f64.mul
          (f64.mul
            (call $product
              (local.get $codes)
              (i32.add (local.get $codes) (local.get $stride)))
            (global.get $gain))
          (f64.promote_f32 (f32.load (local.get $scale)))))
        (local.set $margin (f64.add
          (f64.mul (f64.promote_f32 (f32.load (local.get $residual))) (global.get $reach))
          (global.get $slack)))
        (if (f64.ge
            (f64.add (local.get $estimate) (local.get $margin))
            (local.get $threshold))
          (then
            (f64.store
              (i32.shl (local.get $found) (i32.const 3))
              (f64.sub (local.get $estimate) (local.get $margin)))
            (f64.store offset=2048
              (i32.shl (local.get $found) (i32.const 3))
              (f64.add (local.get $estimate) (local.get $margin)))
            (i32.store offset=4096
              (i32.shl (local.get $found) (i32.const 2))
              (local.get $row))
            (local.set $found (i32.add (local.get $found) (i32.const 1)))))
        (local.set $codes (i32.add (local.get $codes) (local.get $stride)))
        (local.set $scale (i32.add (local.get $scale) (i32.const 4)))
        (local.set $residual (i32.add (local.get $residual) (i32.const 4)))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br $next)))
    (local.get $found)))
