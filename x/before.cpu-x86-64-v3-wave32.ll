; ModuleID = 'kernel'
source_filename = "kernel"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: noredzone nounwind uwtable
define void @before_t0(ptr noalias noundef readonly %args, ptr noalias noundef align 64 %shared, i32 %0, i32 %1, i32 %2) #0 {
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
  %block.index = phi i32 [ %0, %start ], [ %11, %block ]
  %10 = getelementptr i32, ptr %8, i32 0
  store i32 0, ptr %10, align 4
  %11 = add nuw i32 %block.index, 1
  %12 = icmp ult i32 %11, %1
  br i1 %12, label %block, label %block.end

block.end:                                        ; preds = %block, %start
  ret void
}

; Function Attrs: noredzone nounwind uwtable
define void @before_t1(ptr noalias noundef readonly %args, ptr noalias noundef align 64 %shared, i32 %0, i32 %1, i32 %2) #0 {
entry:
  %lanes = alloca <32 x i32>, align 64
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
  %chunk.index = phi i32 [ 0, %block ], [ %41, %guard.end ]
  %thread = mul nuw nsw i32 %chunk.index, 32
  %10 = mul i32 %block.index, 128
  %11 = add i32 %10, %thread
  %.splatinsert = insertelement <32 x i32> poison, i32 %11, i64 0
  %.splat = shufflevector <32 x i32> %.splatinsert, <32 x i32> poison, <32 x i32> zeroinitializer
  %12 = add <32 x i32> %.splat, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %.splatinsert1 = insertelement <32 x i32> poison, i32 %6, i64 0
  %.splat2 = shufflevector <32 x i32> %.splatinsert1, <32 x i32> poison, <32 x i32> zeroinitializer
  %13 = icmp slt <32 x i32> %12, %.splat2
  %14 = sext i32 %11 to i64
  %15 = add i64 %14, 31
  %16 = sext i32 %6 to i64
  %17 = icmp slt i64 %15, %16
  br i1 %17, label %full, label %rest

chunk.end:                                        ; preds = %guard.end, %block
  %18 = add nuw i32 %block.index, 1
  %19 = icmp ult i32 %18, %1
  br i1 %19, label %block, label %block.end

full:                                             ; preds = %chunk
  %20 = getelementptr i32, ptr %8, i32 0
  %21 = load i32, ptr %20, align 4
  %.splatinsert3 = insertelement <32 x i32> poison, i32 %21, i64 0
  %.splat4 = shufflevector <32 x i32> %.splatinsert3, <32 x i32> poison, <32 x i32> zeroinitializer
  %22 = getelementptr i32, ptr %4, i32 %11
  store <32 x i32> %.splat4, ptr %22, align 4
  %.splatinsert5 = insertelement <32 x i32> poison, i32 %11, i64 0
  %.splat6 = shufflevector <32 x i32> %.splatinsert5, <32 x i32> poison, <32 x i32> zeroinitializer
  %23 = add <32 x i32> %.splat6, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %24 = extractelement <32 x i32> %23, i32 31
  %25 = getelementptr i32, ptr %8, i32 0
  store i32 %24, ptr %25, align 4
  br label %guard.end

rest:                                             ; preds = %chunk
  %26 = bitcast <32 x i1> %13 to i32
  %27 = icmp ne i32 %26, 0
  br i1 %27, label %part, label %guard.end

part:                                             ; preds = %rest
  %28 = getelementptr i32, ptr %8, i32 0
  %29 = load i32, ptr %28, align 4
  %.splatinsert7 = insertelement <32 x i32> poison, i32 %29, i64 0
  %.splat8 = shufflevector <32 x i32> %.splatinsert7, <32 x i32> poison, <32 x i32> zeroinitializer
  %30 = getelementptr i32, ptr %4, i32 %11
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %.splat8, ptr %30, i32 4, <32 x i1> %13)
  %.splatinsert9 = insertelement <32 x i32> poison, i32 %11, i64 0
  %.splat10 = shufflevector <32 x i32> %.splatinsert9, <32 x i32> poison, <32 x i32> zeroinitializer
  %31 = add <32 x i32> %.splat10, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %32 = bitcast <32 x i1> %13 to i32
  %33 = zext i32 %32 to i64
  %34 = call i64 @llvm.ctlz.i64(i64 %33, i1 true)
  %35 = sub i64 63, %34
  %36 = trunc i64 %35 to i32
  store <32 x i32> %31, ptr %lanes, align 64
  %37 = zext i32 %36 to i64
  %38 = getelementptr i32, ptr %lanes, i64 %37
  %39 = load i32, ptr %38, align 4
  %40 = getelementptr i32, ptr %8, i32 0
  store i32 %39, ptr %40, align 4
  br label %guard.end

guard.end:                                        ; preds = %part, %rest, %full
  %41 = add nuw i32 %chunk.index, 1
  %42 = icmp ult i32 %41, 4
  br i1 %42, label %chunk, label %chunk.end
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr nocapture, i32 immarg, <32 x i1>) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctlz.i64(i64, i1 immarg) #2

attributes #0 = { noredzone nounwind uwtable "min-legal-vector-width"="256" "no-builtins" "prefer-vector-width"="256" "probe-stack"="inline-asm" "stack-probe-size"="4096" "target-cpu"="x86-64-v3" "target-features"="+fast-gather" "warn-stack-size"="6225920" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: write) }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0}

!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{}
