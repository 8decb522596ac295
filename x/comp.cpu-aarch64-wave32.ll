; ModuleID = 'kernel'
source_filename = "kernel"
target datalayout = "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

; Function Attrs: noredzone nounwind uwtable
define void @comp_t0(ptr noalias noundef readonly %args, ptr noalias noundef align 64 %shared, i32 %0, i32 %1, i32 %2) #0 {
entry:
  br label %start

start:                                            ; preds = %entry
  %3 = getelementptr i8, ptr %args, i64 0
  %4 = load ptr, ptr %3, align 8, !invariant.load !1
  %5 = getelementptr i8, ptr %args, i64 8
  %6 = load i32, ptr %5, align 4, !invariant.load !1
  %7 = getelementptr i8, ptr %args, i64 16
  %8 = load ptr, ptr %7, align 8, !invariant.load !1
  %9 = icmp ult i32 %0, %1
  br i1 %9, label %block, label %block.end

block:                                            ; preds = %block, %start
  %block.index = phi i32 [ %0, %start ], [ %13, %block ]
  %10 = getelementptr [2 x i32], ptr %8, i32 0
  %11 = getelementptr i32, ptr %10, i32 0
  store i32 0, ptr %11, align 4
  %12 = getelementptr i32, ptr %10, i32 1
  store i32 0, ptr %12, align 4
  %13 = add nuw i32 %block.index, 1
  %14 = icmp ult i32 %13, %1
  br i1 %14, label %block, label %block.end

block.end:                                        ; preds = %block, %start
  ret void
}

; Function Attrs: noredzone nounwind uwtable
define void @comp_t1(ptr noalias noundef readonly %args, ptr noalias noundef align 64 %shared, i32 %0, i32 %1, i32 %2) #0 {
entry:
  %lanes = alloca <16 x i32>, align 64
  br label %start

start:                                            ; preds = %entry
  %3 = getelementptr i8, ptr %args, i64 0
  %4 = load ptr, ptr %3, align 8, !invariant.load !1
  %5 = getelementptr i8, ptr %args, i64 8
  %6 = load i32, ptr %5, align 4, !invariant.load !1
  %7 = getelementptr i8, ptr %args, i64 16
  %8 = load ptr, ptr %7, align 8, !invariant.load !1
  %9 = icmp ult i32 %0, %1
  br i1 %9, label %block, label %block.end

block:                                            ; preds = %chunk.end, %start
  %block.index = phi i32 [ %0, %start ], [ %18, %chunk.end ]
  br i1 true, label %chunk, label %chunk.end

block.end:                                        ; preds = %chunk.end, %start
  ret void

chunk:                                            ; preds = %guard.end, %block
  %chunk.index = phi i32 [ 0, %block ], [ %40, %guard.end ]
  %thread = mul nuw nsw i32 %chunk.index, 16
  %10 = mul i32 %block.index, 128
  %11 = add i32 %10, %thread
  %.splatinsert = insertelement <16 x i32> poison, i32 %11, i64 0
  %.splat = shufflevector <16 x i32> %.splatinsert, <16 x i32> poison, <16 x i32> zeroinitializer
  %12 = add <16 x i32> %.splat, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %.splatinsert1 = insertelement <16 x i32> poison, i32 %6, i64 0
  %.splat2 = shufflevector <16 x i32> %.splatinsert1, <16 x i32> poison, <16 x i32> zeroinitializer
  %13 = icmp slt <16 x i32> %12, %.splat2
  %14 = sext i32 %11 to i64
  %15 = add i64 %14, 15
  %16 = sext i32 %6 to i64
  %17 = icmp slt i64 %15, %16
  br i1 %17, label %full, label %rest

chunk.end:                                        ; preds = %guard.end, %block
  %18 = add nuw i32 %block.index, 1
  %19 = icmp ult i32 %18, %1
  br i1 %19, label %block, label %block.end

full:                                             ; preds = %chunk
  %20 = getelementptr i32, ptr %8, i32 1
  %21 = load i32, ptr %20, align 4
  %.splatinsert3 = insertelement <16 x i32> poison, i32 %21, i64 0
  %.splat4 = shufflevector <16 x i32> %.splatinsert3, <16 x i32> poison, <16 x i32> zeroinitializer
  %22 = getelementptr i32, ptr %4, i32 %11
  store <16 x i32> %.splat4, ptr %22, align 4
  %.splatinsert5 = insertelement <16 x i32> poison, i32 %11, i64 0
  %.splat6 = shufflevector <16 x i32> %.splatinsert5, <16 x i32> poison, <16 x i32> zeroinitializer
  %23 = add <16 x i32> %.splat6, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %24 = extractelement <16 x i32> %23, i32 15
  %25 = getelementptr i32, ptr %8, i32 1
  store i32 %24, ptr %25, align 4
  br label %guard.end

rest:                                             ; preds = %chunk
  %26 = call i1 @llvm.vector.reduce.or.v16i1(<16 x i1> %13)
  br i1 %26, label %part, label %guard.end

part:                                             ; preds = %rest
  %27 = getelementptr i32, ptr %8, i32 1
  %28 = load i32, ptr %27, align 4
  %.splatinsert7 = insertelement <16 x i32> poison, i32 %28, i64 0
  %.splat8 = shufflevector <16 x i32> %.splatinsert7, <16 x i32> poison, <16 x i32> zeroinitializer
  %29 = getelementptr i32, ptr %4, i32 %11
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %.splat8, ptr %29, i32 4, <16 x i1> %13)
  %.splatinsert9 = insertelement <16 x i32> poison, i32 %11, i64 0
  %.splat10 = shufflevector <16 x i32> %.splatinsert9, <16 x i32> poison, <16 x i32> zeroinitializer
  %30 = add <16 x i32> %.splat10, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %31 = bitcast <16 x i1> %13 to i16
  %32 = zext i16 %31 to i64
  %33 = call i64 @llvm.ctlz.i64(i64 %32, i1 true)
  %34 = sub i64 63, %33
  %35 = trunc i64 %34 to i32
  store <16 x i32> %30, ptr %lanes, align 64
  %36 = zext i32 %35 to i64
  %37 = getelementptr i32, ptr %lanes, i64 %36
  %38 = load i32, ptr %37, align 4
  %39 = getelementptr i32, ptr %8, i32 1
  store i32 %38, ptr %39, align 4
  br label %guard.end

guard.end:                                        ; preds = %part, %rest, %full
  %40 = add nuw i32 %chunk.index, 1
  %41 = icmp ult i32 %40, 8
  br i1 %41, label %chunk, label %chunk.end
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
