; ModuleID = 'kernel'
source_filename = "kernel"
target datalayout = "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

; Function Attrs: noredzone nounwind uwtable
define void @comp_t0(ptr noalias noundef readonly %args, ptr noalias noundef align 64 %shared, i32 %0, i32 %1, i32 %2) #0 {
entry:
  %3 = icmp ult i32 %0, %1
  br i1 %3, label %block.preheader, label %block.end

block.preheader:                                  ; preds = %entry
  %4 = getelementptr i8, ptr %args, i64 16
  %5 = load ptr, ptr %4, align 8, !invariant.load !1
  store i32 0, ptr %5, align 4
  %6 = getelementptr i8, ptr %5, i64 4
  store i32 0, ptr %6, align 4
  br label %block.end

block.end:                                        ; preds = %block.preheader, %entry
  ret void
}

; Function Attrs: noredzone nounwind uwtable
define void @comp_t1(ptr noalias noundef readonly %args, ptr noalias noundef align 64 %shared, i32 %0, i32 %1, i32 %2) #0 {
entry:
  %lanes = alloca <16 x i32>, align 64
  %3 = icmp ult i32 %0, %1
  br i1 %3, label %block.preheader, label %block.end

block.preheader:                                  ; preds = %entry
  %4 = load ptr, ptr %args, align 8, !invariant.load !1
  %5 = getelementptr i8, ptr %args, i64 8
  %6 = load i32, ptr %5, align 4, !invariant.load !1
  %7 = getelementptr i8, ptr %args, i64 16
  %8 = load ptr, ptr %7, align 8, !invariant.load !1
  %.splatinsert1 = insertelement <16 x i32> poison, i32 %6, i64 0
  %.splat2 = shufflevector <16 x i32> %.splatinsert1, <16 x i32> poison, <16 x i32> zeroinitializer
  %9 = getelementptr i8, ptr %8, i64 4
  br label %block

block:                                            ; preds = %block.preheader, %chunk.end
  %block.index = phi i32 [ %16, %chunk.end ], [ %0, %block.preheader ]
  %10 = shl i32 %block.index, 7
  br label %chunk

block.end.loopexit:                               ; preds = %chunk.end
  br label %block.end

block.end:                                        ; preds = %block.end.loopexit, %entry
  ret void

chunk:                                            ; preds = %block, %guard.end
  %indvars.iv = phi i64 [ 0, %block ], [ %indvars.iv.next, %guard.end ]
  %indvars.iv.tr = trunc i64 %indvars.iv to i32
  %11 = shl i32 %indvars.iv.tr, 4
  %12 = add i32 %10, %11
  %.splatinsert = insertelement <16 x i32> poison, i32 %12, i64 0
  %.splat = shufflevector <16 x i32> %.splatinsert, <16 x i32> poison, <16 x i32> zeroinitializer
  %13 = or disjoint <16 x i32> %.splat, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %14 = or disjoint i32 %12, 15
  %15 = icmp slt i32 %14, %6
  br i1 %15, label %full, label %rest

chunk.end:                                        ; preds = %guard.end
  %16 = add nuw i32 %block.index, 1
  %exitcond13.not = icmp eq i32 %16, %1
  br i1 %exitcond13.not, label %block.end.loopexit, label %block

full:                                             ; preds = %chunk
  %17 = load i32, ptr %9, align 4
  %.splatinsert3 = insertelement <16 x i32> poison, i32 %17, i64 0
  %.splat4 = shufflevector <16 x i32> %.splatinsert3, <16 x i32> poison, <16 x i32> zeroinitializer
  %18 = sext i32 %12 to i64
  %19 = getelementptr i32, ptr %4, i64 %18
  store <16 x i32> %.splat4, ptr %19, align 4
  %20 = extractelement <16 x i32> %13, i64 15
  br label %guard.end.sink.split

rest:                                             ; preds = %chunk
  %21 = icmp slt <16 x i32> %13, %.splat2
  %22 = bitcast <16 x i1> %21 to i16
  %.not = icmp eq i16 %22, 0
  br i1 %.not, label %guard.end, label %part

part:                                             ; preds = %rest
  %23 = load i32, ptr %9, align 4
  %.splatinsert7 = insertelement <16 x i32> poison, i32 %23, i64 0
  %.splat8 = shufflevector <16 x i32> %.splatinsert7, <16 x i32> poison, <16 x i32> zeroinitializer
  %24 = sext i32 %12 to i64
  %25 = getelementptr i32, ptr %4, i64 %24
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %.splat8, ptr %25, i32 4, <16 x i1> %21)
  %26 = zext i16 %22 to i64
  %27 = call range(i64 48, 65) i64 @llvm.ctlz.i64(i64 %26, i1 true)
  %28 = xor i64 %27, 63
  store <16 x i32> %13, ptr %lanes, align 64
  %29 = getelementptr i32, ptr %lanes, i64 %28
  %30 = load i32, ptr %29, align 4
  br label %guard.end.sink.split

guard.end.sink.split:                             ; preds = %full, %part
  %.sink = phi i32 [ %30, %part ], [ %20, %full ]
  store i32 %.sink, ptr %9, align 4
  br label %guard.end

guard.end:                                        ; preds = %guard.end.sink.split, %rest
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 8
  br i1 %exitcond.not, label %chunk.end, label %chunk
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i1 @llvm.vector.reduce.or.v16i1(<16 x i1>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr nocapture, i32 immarg, <16 x i1>) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctlz.i64(i64, i1 immarg) #1

attributes #0 = { noredzone nounwind uwtable "no-builtins" "probe-stack"="inline-asm" "stack-probe-size"="4096" "target-cpu"="generic" "target-features"="+reserve-x18" "warn-stack-size"="6225920" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(argmem: write) }

!llvm.module.flags = !{!0}

!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{}
